#include "runtime/controller/replicas.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/controller/contract.h"
#include "runtime/controller/group_decide.h"
#include "runtime/controller/secrets.h"

namespace runtime {

namespace {

// What the pods of API proxies are configured with, by pod. Without those of a group that cannot be
// read: what its pods shall advertise, nobody knows.
std::map<std::string, std::string> configs_of(const ClusterView& view) {
    std::set<std::string> filled;
    for (const auto& [unused, certificate] : view.certificates().objects()) {
        if (!certificate.hash.empty()) {
            filled.insert(certificate.name);
        }
    }
    std::map<std::string, std::string> configs;
    for (const auto& [unused, group] : view.groups().objects()) {
        if (group.problem.empty()) {
            configs.merge(desired_configs(group, filled));
        }
    }
    return configs;
}

const AuthSecret* find_auth(const ClusterView& view, std::string_view pod, bool is_api_proxy) {
    return view.auths().find(view.key(auth_name(pod, is_api_proxy)));
}

}  // namespace

std::map<std::string, Replica> replicas_of(const ClusterView& view) {
    const auto configs = configs_of(view);
    std::map<std::string, Replica> all;
    const auto add = [&](const std::string& name, const ProxySet* set, int ordinal) {
        const auto [entry, is_new] = all.try_emplace(name);
        if (is_new) {
            const bool is_api_proxy = set != nullptr && set->is_api_proxy;
            entry->second = {.pod_name = entry->first,
                             .ordinal = ordinal,
                             .set = set,
                             .state = view.states().find(view.key(name)),
                             .auth = find_auth(view, name, is_api_proxy),
                             .stray = find_auth(view, name, !is_api_proxy),
                             .pod = view.pods().find(view.key(name)),
                             .config = {}};
            if (set == nullptr && entry->second.auth == nullptr) {  // of which type, nobody knows
                std::swap(entry->second.auth, entry->second.stray);
            }
            if (const auto config = configs.find(name);
                config != configs.end() && set != nullptr && set->is_api_proxy) {
                entry->second.config = config->second;
            }
        }
    };
    for (const auto& [unused, set] : view.sets().objects()) {
        for (int ordinal = 0; set.contract == kContractVersion && ordinal < set.replicas;
             ++ordinal) {
            add(fmt::format("{}-{}", set.name, ordinal), &set, ordinal);
        }
    }
    // What is left of replicas that nobody wants any more; not of a contract that we do not know.
    // A pod is called after its StatefulSet: what its Secret says of that is the pod's to write.
    const auto add_left = [&](const std::string& pod) {
        const auto name = split_replica(pod);
        const ProxySet* set = name.has_value() ? view.sets().find(view.key(name->set)) : nullptr;
        if (name.has_value() &&
            (set == nullptr || set->contract.empty() || set->contract == kContractVersion)) {
            add(pod, set != nullptr && set->contract.empty() ? nullptr : set, name->ordinal);
        }
    };
    for (const auto& [unused, state] : view.states().objects()) {
        add_left(state.name);
    }
    for (const auto& [unused, auth] : view.auths().objects()) {
        add_left(auth.pod);
    }
    return all;
}

bool has_operators_sets(const ClusterView& view) {
    const auto& sets = view.sets().objects();
    return std::any_of(sets.begin(), sets.end(),
                       [](const auto& set) { return set.second.contract.empty(); });
}

std::string owner_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                     std::string_view pod) {
    for (const auto& [unused, auth] : view.auths().objects()) {
        if (!device.empty() && auth.pod != pod && auth.tailnet == tailnet &&
            auth.device == device) {
            return auth.name;
        }
    }
    return {};
}

std::string user_of(const ClusterView& view, std::string_view tailnet, std::string_view device,
                    std::string_view pod) {
    if (device.empty()) {
        return {};
    }
    for (const auto& [unused, state] : view.states().objects()) {
        if (state.name != pod && state.tailnet == tailnet &&
            (state.device_id == device || state.node_id == device)) {
            return state.name;
        }
    }
    return owner_of(view, tailnet, device, pod);
}

std::string operators_set(const ClusterView& view, const Replica& replica) {
    const ProxySet* set = replica.set;
    const std::string_view labels = set != nullptr ? set->labels : replica.state->labels;
    const std::string_view name = set != nullptr ? set->name : replica.state->set;
    for (const auto& [unused, other] : view.sets().objects()) {
        if (other.contract.empty() && !other.labels.empty() && other.labels == labels &&
            other.name != name) {
            return other.name;
        }
    }
    return {};
}

}  // namespace runtime
