// The users' objects that proxies are for: Services and Ingresses of all namespaces, and custom
// resources whose CRDs are installed. Holds what status and Events need, by the name in the
// contract annotation: "Service/apps/web", "Connector/office".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/packed_value.h"
#include "runtime/base/text.h"
#include "runtime/controller/view/cluster_view.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

struct Parent {
    std::string_view kind;
    Text ns, name, uid;
    std::int64_t generation = 0;
    std::map<std::string, std::string, std::less<>> annotations;  // tailscale.com/* only
    renderer::Value spec;  // of a Service or an Ingress only the used fields
    PackedValue status;

    bool operator==(const Parent&) const = default;
};

class Parents {
public:
    explicit Parents(ClusterView& view);

    // nullptr if it does not exist (any more), or its kind is not installed.
    [[nodiscard]] const Parent* find(std::string_view contract_name) const;
    // Returns all of a kind. Of Services only those of type LoadBalancer, and those with
    // annotations of tailscale.com or with conditions.
    [[nodiscard]] const Mirror<Parent>::Objects& all(std::string_view kind) const;
    // For Events, also about deleted objects, and about kinds that are not parents.
    [[nodiscard]] kube::ObjectRef reference(std::string_view contract_name) const;

private:
    std::map<std::string_view, const Mirror<Parent>*> copies_;  // by kind
};

// "True", "False" or "Unknown"; "" if it has no condition of that type.
std::string condition_status(const Parent& parent, std::string_view type);

// No value if no proxy can be for it, nor has been.
std::optional<Parent> decode_parent(const renderer::Kind& kind, const renderer::Value& object);

// Returns "Kind/namespace/name" or "Kind/name".
std::string contract_name(const Parent& parent);

}  // namespace runtime::controller
