#include "runtime/controller/view/replicas.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/contract/group_config.h"
#include "runtime/controller/ingress_groups/group_decide.h"
#include "runtime/controller/keys/secrets.h"

namespace runtime::controller {

namespace {

std::set<std::string> filled_certificates(const ClusterView& view) {
    std::set<std::string> filled;
    for (const auto& [unused, certificate] : view.certificates().objects()) {
        if (!certificate.hash.empty()) {
            filled.insert(certificate.name);
        }
    }
    return filled;
}

bool is_wanted_of(const ProxySet* set, int ordinal) {
    return set != nullptr && set->contract == renderer::kContractVersion && ordinal < set->replicas;
}

}  // namespace

const AuthSecret* Replicas::auth_of(std::string_view pod, bool is_api_proxy) const {
    return view_.auths().find(view_.key(auth_name(pod, is_api_proxy)));
}

std::string Replicas::config_of(const ProxySet& set, std::string_view pod) {
    const auto [group, is_new] = configs_.try_emplace(std::string(set.name));
    if (is_new) {
        const GroupConfig* config =
            view_.groups().find(view_.key(fmt::format("{}{}", renderer::kGroupPrefix, set.name)));
        if (config != nullptr && config->problem.empty()) {
            group->second = desired_configs(*config, filled_certificates(view_));
        }
    }
    const auto found = group->second.find(std::string(pod));
    return found == group->second.end() ? std::string() : found->second;
}

std::optional<Replica> Replicas::find(std::string_view pod) {
    // The name of a pod determines its StatefulSet: a pod may write its state Secret's annotation.
    const auto name = split_replica(pod);
    if (!name.has_value() || (name->set == renderer::kApiProxyName && !view_.apart_complete())) {
        return std::nullopt;
    }
    const ProxySet* set = view_.find_set(name->set);
    const bool is_ours = set != nullptr && set->contract == renderer::kContractVersion;
    const bool is_api_proxy = is_ours && set->is_api_proxy;
    Replica replica{.pod_name = pod,
                    .ordinal = name->ordinal,
                    .set = is_ours ? set : nullptr,
                    .is_apart = is_ours && view_.is_apart(name->set),
                    .state = view_.find_state(pod),
                    .auth = auth_of(pod, is_api_proxy),
                    .stray = auth_of(pod, !is_api_proxy)};
    if (set == nullptr || set->contract.empty()) {
        if (replica.auth == nullptr) {  // its type is unknown
            std::swap(replica.auth, replica.stray);
        }
    } else if (!is_ours) {
        return std::nullopt;  // of an unknown contract
    }
    // A rendered state Secret, which is apart, does not count. One in the controller's namespace is
    // deleted with the auth Secret of a replica that is apart.
    const bool has_state = !replica.is_apart && view_.states().find(view_.key(pod)) != nullptr;
    if (!is_wanted_of(set, name->ordinal) && !has_state && replica.auth == nullptr &&
        replica.stray == nullptr) {
        return std::nullopt;
    }
    replica.pod = view_.find_pod(pod);
    if (replica.is_apart) {
        replica.delivered = view_.delivered_key();
    }
    if (is_api_proxy) {
        replica.config = config_of(*set, pod);
    }
    return replica;
}

void Replicas::each(const std::function<void(const Replica&)>& visit) {
    const auto look = [this, &visit](std::string_view pod) {
        if (const auto replica = find(pod)) {
            visit(*replica);
        }
    };
    const auto is_wanted_pod = [this](std::string_view pod) {
        const auto name = split_replica(pod);
        return name.has_value() && is_wanted_of(view_.find_set(name->set), name->ordinal);
    };
    view_.each_set([&look](const ProxySet& set) {
        for (int ordinal = 0; is_wanted_of(&set, ordinal); ++ordinal) {
            look(fmt::format("{}-{}", set.name, ordinal));
        }
    });
    for (const auto& [unused, state] : view_.states().objects()) {
        if (!is_wanted_pod(state.name)) {
            look(state.name);
        }
    }
    std::set<std::string> without_state;  // a replica may have one of each type
    for (const auto& [unused, auth] : view_.auths().objects()) {
        if (!is_wanted_pod(auth.pod) && view_.states().find(view_.key(auth.pod)) == nullptr) {
            without_state.insert(auth.pod);
        }
    }
    for (const std::string& pod : without_state) {
        look(pod);
    }
}

std::vector<const ProxySet*> sets_of(const ClusterView& view, const Changes& changes) {
    std::set<const ProxySet*> sets;
    if (changes.everything) {
        view.each_set([&sets](const ProxySet& set) { sets.insert(&set); });
    }
    for (const std::string& name : changes.sets) {
        sets.insert(view.find_set(name));
    }
    for (const std::string& pod : changes.pods) {
        if (const auto name = split_replica(pod)) {
            sets.insert(view.find_set(name->set));
        }
    }
    for (const std::string& parent : changes.parents) {
        for (const std::string_view name : view.sets_by_parent().find(parent)) {
            sets.insert(view.find_set(name));
        }
    }
    sets.erase(nullptr);
    return {sets.begin(), sets.end()};
}

const ProxySet* set_of(const ClusterView& view, std::string_view parent) {
    for (const std::string_view name : view.sets_by_parent().find(parent)) {
        const ProxySet* set = view.sets().find(view.key(name));
        if (set != nullptr && !set->contract.empty()) {
            return set;
        }
    }
    return nullptr;
}

std::string owner_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                     std::string_view pod) {
    for (const std::string_view name : view.noted_devices().find(device)) {
        const AuthSecret* auth = view.auths().find(view.key(name));
        if (auth != nullptr && auth->pod != pod && auth->tailnet == tailnet) {
            return std::string(name);
        }
    }
    return {};
}

std::string user_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                    std::string_view pod) {
    for (const std::string_view name : view.named_devices().find(device)) {
        const StateSecret* state = view.find_state(name);
        if (state != nullptr && state->name != pod && state->tailnet == tailnet) {
            return std::string(name);
        }
    }
    return owner_of(view, tailnet, device, pod);
}

std::string operators_set(const ClusterView& view, const Replica& replica) {
    // What is left of a replica has the labels of its StatefulSet; those on the auth Secret are
    // used first, because no pod writes it.
    const Text* labels = replica.set != nullptr     ? &replica.set->labels
                         : replica.auth != nullptr  ? &replica.auth->labels
                         : replica.state != nullptr ? &replica.state->labels
                                                    : nullptr;
    const auto name = split_replica(replica.pod_name);
    if (labels == nullptr || !name.has_value()) {
        return {};
    }
    for (const std::string_view other : view.operators_sets().find(*labels)) {
        if (other != name->set) {
            return std::string(other);
        }
    }
    return {};
}

}  // namespace runtime::controller
