#include "renderer/classify/group_policy.h"

#include "renderer/classify/parent.h"

namespace renderer {

GroupPolicyInput decode_group_policy(const Document& doc) {
    GroupPolicyInput policy;
    decode_metadata(doc, policy);
    const Fields spec(doc.root.find("spec"));
    policy.ingress = spec.texts("ingress");
    policy.egress = spec.texts("egress");
    return policy;
}

}  // namespace renderer
