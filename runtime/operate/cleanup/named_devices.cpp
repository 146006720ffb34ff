#include "runtime/operate/cleanup/named_devices.h"

#include <map>
#include <set>
#include <utility>

#include "renderer/contract/labels.h"
#include "renderer/kube/kinds.h"
#include "runtime/controller/view/objects.h"

namespace runtime::operate {

using renderer::Value;

namespace {

using Place = std::pair<std::string, std::string>;  // tailnet, device

// Returns the parent in the labels of an auth Secret, which no pod may write.
std::string parent_of_replica(const Value& secret) {
    return renderer::parent_in_labels(
        controller::label_of(secret, renderer::label::kParentType),
        controller::label_of(secret, renderer::label::kParentNamespace),
        controller::label_of(secret, renderer::label::kParent));
}

class Collector {
public:
    Collector(const Objects& secrets, const Objects& sets) {
        for (const Value& set : sets) {
            if (auto proxy = controller::decode_proxy_set(set); proxy && !proxy->contract.empty()) {
                sets_.emplace(proxy->name, std::move(*proxy));
            }
        }
        std::set<std::string> without_state;
        for (const Value& secret : secrets) {
            if (auto auth = controller::decode_auth_secret(secret)) {
                add_noted(*auth, parent_of_replica(secret));
                std::string pod(auth->pod);
                without_state.insert(pod);
                auths_.emplace(std::move(pod), Auth{std::move(*auth), parent_of_replica(secret)});
            }
        }
        for (const Value& secret : secrets) {
            if (const auto state = controller::decode_state_secret(secret)) {
                add_claims(*state);
                without_state.erase(std::string(state->name));
            }
        }
        for (const std::string& pod : without_state) {
            controller::StateSecret none;
            none.name = pod;
            add_claims(none);
        }
    }

    std::vector<NamedDevice> found;

private:
    struct Auth {
        controller::AuthSecret secret;
        std::string parent;
    };

    void add_noted(const controller::AuthSecret& auth, const std::string& parent) {
        const Place place(auth.tailnet, auth.device);
        if (auth.device.empty() || !noted_.insert(place).second) {
            return;
        }
        found.push_back({.claim = {.pod = std::string(auth.pod),
                                   .parent = parent,
                                   .tailnet = place.first,
                                   .device = place.second},
                         .is_noted = true});
    }

    void add_claims(const controller::StateSecret& state) {
        const std::string pod(state.name);
        const auto its_auth = auths_.find(pod);
        const Auth* auth = its_auth == auths_.end() ? nullptr : &its_auth->second;
        const std::string tailnet(auth == nullptr ? state.tailnet : auth->secret.tailnet);
        std::set<std::string> devices{state.device_id, state.node_id};
        if (auth != nullptr) {
            devices.emplace(auth->secret.device_named);
        }
        devices.erase("");
        for (const std::string& device : devices) {
            if (!noted_.contains({tailnet, device})) {
                found.push_back({.claim = claim_of(pod, tailnet, device, auth)});
            }
        }
    }

    controller::DeviceClaim claim_of(const std::string& pod, const std::string& tailnet,
                                     const std::string& device, const Auth* auth) const {
        controller::DeviceClaim claim{
            .pod = pod, .parent = {}, .tailnet = tailnet, .device = device};
        const controller::AuthSecret none;
        const controller::AuthSecret& noted = auth == nullptr ? none : auth->secret;
        claim.is_tailnet_noted = auth != nullptr;
        claim.parent = auth == nullptr ? std::string() : auth->parent;
        claim.hostname = noted.hostname;
        std::string_view wanted;
        const auto replica = controller::split_replica(pod);
        if (const auto set = replica ? sets_.find(std::string(replica->set)) : sets_.end();
            set != sets_.end()) {
            wanted = set->second.tags;
            const auto ordinal = static_cast<std::size_t>(replica->ordinal);
            if (ordinal < set->second.hostnames.size()) {
                claim.hostname = set->second.hostnames[ordinal];
            }
        }
        claim.tags = controller::possible_tags(noted, wanted);
        return claim;
    }

    std::map<std::string, controller::ProxySet> sets_;
    std::map<std::string, Auth> auths_;  // by pod
    std::set<Place> noted_;
};

}  // namespace

std::vector<NamedDevice> named_devices(const Objects& secrets, const Objects& sets) {
    return std::move(Collector(secrets, sets).found);
}

}  // namespace runtime::operate
