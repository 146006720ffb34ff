#include "runtime/operate/hidden_states.h"

#include <set>

#include "renderer/contract/labels.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::operate {

using renderer::Value;

void show_hidden_states(Objects& secrets) {
    std::set<std::string> pods;
    for (const Value& secret : secrets) {
        if (const auto auth = controller::decode_auth_secret(secret)) {
            pods.emplace(auth->pod);
        }
    }
    for (Value& secret : secrets) {
        Value* metadata = secret.find("metadata");
        if (!pods.contains(name_of(secret)) ||
            controller::label_of(secret, renderer::kSecretLabel) == renderer::kStateSecret) {
            continue;
        }
        if (const Value* labels = metadata->find("labels");
            labels == nullptr || !labels->is_map()) {
            metadata->erase("labels");
            metadata->put("labels", Value::map());
        }
        metadata->find("labels")->put(Value(renderer::kSecretLabel), Value(renderer::kStateSecret));
    }
}

}  // namespace runtime::operate
