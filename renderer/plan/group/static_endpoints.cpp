#include "renderer/plan/group/static_endpoints.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "renderer/base/sha256.h"
#include "renderer/plan/group/match_ports.h"

namespace renderer::plan {

namespace {

constexpr std::int64_t kFirstPort = 1024;  // first port for tailscaled
constexpr std::int64_t kPortCount = 65536 - kFirstPort;
constexpr std::size_t kMaxAddresses = 2;  // addresses of a replica

// NodePorts by "group/ordinal".
using NodePins = std::map<std::string, std::int64_t, std::less<>>;

std::int64_t hashed_port(std::string_view key) {
    std::uint64_t rest = 0;
    for (const std::uint8_t byte : sha256(key)) {
        rest = (rest << 8U | byte) % static_cast<std::uint64_t>(kPortCount);
    }
    return kFirstPort + static_cast<std::int64_t>(rest);
}

NodePins node_pins_of(const load::Loaded& loaded) {
    NodePins pins;
    for (const load::LockedPort& port : loaded.locked_ports) {
        if (port.kind == load::LockedKind::NodePort && port.cluster == load::own_cluster(loaded)) {
            pins.emplace(port.key, port.number);
        }
    }
    return pins;
}

bool in_ranges(const StaticEndpoints& endpoints, std::int64_t port) {
    return std::ranges::any_of(endpoints.ports, [port](const PortRange& range) {
        return port >= range.first && port <= range.last;
    });
}

// Returns the lowest free port, range by range.
std::optional<std::int64_t> next_free(const StaticEndpoints& endpoints,
                                      const std::set<std::int64_t>& used) {
    for (const PortRange& range : endpoints.ports) {
        for (std::int64_t port = range.first; port <= range.last; ++port) {
            if (!used.contains(port)) {
                return port;
            }
        }
    }
    return std::nullopt;
}

std::string pin_key(const Workload& group, std::size_t ordinal) {
    return fmt::format("{}/{}", group.name, ordinal);
}

Note class_note(const Workload& group) {
    return {.pos = group.proxy_class->static_endpoints->pos,
            .object = group.proxy_class->origin.parent,
            .text = "asks for static endpoints"};
}

bool selects(const Value& selector, const classify::NodeInput& node) {
    return std::ranges::all_of(selector.members(), [&](const Member& wanted) {
        const Value* label = node.labels == nullptr ? nullptr : node.labels->find(wanted.name());
        return label != nullptr && label->is_string() && wanted.value.is_string() &&
               label->text() == wanted.value.text();
    });
}

// Returns the address in the form for "host:port"; "" if it is invalid.
std::string host_of(std::string_view address) {
    std::string text(address);
    in6_addr bytes{};
    if (inet_pton(AF_INET, text.c_str(), &bytes) == 1) {
        return text;
    }
    std::array<char, INET6_ADDRSTRLEN> canonical{};  // RFC 5952
    return inet_pton(AF_INET6, text.c_str(), &bytes) == 1 &&
                   inet_ntop(AF_INET6, &bytes, canonical.data(), canonical.size()) != nullptr
               ? fmt::format("[{}]", canonical.data())
               : std::string();
}

class EndpointPlanner {
public:
    EndpointPlanner(const load::Loaded& loaded, const classify::Inventory& inventory,
                    Diagnostics& diagnostics)
        : cluster_(load::own_cluster(loaded)), pins_(node_pins_of(loaded)), out_(diagnostics) {
        for (const classify::NodeInput& node : inventory.nodes) {
            nodes_.push_back(&node);
        }
        std::ranges::stable_sort(nodes_, {}, &classify::NodeInput::name);
    }

    // Returns the ports for the lock file, in the order of the groups.
    std::vector<load::LockedPort> run(std::vector<Workload>& groups) {
        for_each_with_endpoints(groups, [&](const Workload& workload, Endpoints& endpoints) {
            take_pinned(workload, endpoints);
        });
        for_each_with_endpoints(groups, [&](const Workload& workload, Endpoints& endpoints) {
            fill(workload, endpoints);
        });
        return std::move(locked_);
    }

private:
    using Endpoints = std::vector<GroupEndpoint>;

    template <typename Visit>
    static void for_each_with_endpoints(std::vector<Workload>& groups, const Visit& visit) {
        for_each_of<ProxyGroupPlan>(groups, [&](const Workload& workload, ProxyGroupPlan& group) {
            if (workload.proxy_class != nullptr && workload.proxy_class->static_endpoints) {
                visit(workload, group.endpoints);
            }
        });
    }

    // A pin that the ranges no longer allow is ignored, as in the operator.
    void take_pinned(const Workload& group, Endpoints& endpoints) {
        endpoints.resize(group.hostnames.size());
        for (std::size_t i = 0; i < endpoints.size(); ++i) {
            const auto pin = pins_.find(pin_key(group, i));
            if (pin != pins_.end() &&
                in_ranges(*group.proxy_class->static_endpoints, pin->second) &&
                used_.insert(pin->second).second) {
                endpoints[i].node_port = pin->second;
            }
        }
    }

    void fill(const Workload& group, Endpoints& endpoints) {
        if (!fill_ports(group, endpoints)) {
            return;
        }
        const std::vector<std::string> hosts = hosts_for(group);
        for (std::size_t i = 0; i < endpoints.size(); ++i) {
            GroupEndpoint& endpoint = endpoints[i];
            for (const std::string& host : hosts) {
                endpoint.addresses.push_back(fmt::format("{}:{}", host, endpoint.node_port));
            }
            locked_.push_back({.kind = load::LockedKind::NodePort,
                               .cluster = std::string(cluster_),
                               .key = pin_key(group, i),
                               .number = endpoint.node_port,
                               .pos = {}});
        }
    }

    bool fill_ports(const Workload& group, Endpoints& endpoints) {
        std::size_t missing = 0;
        for (GroupEndpoint& endpoint : endpoints) {
            if (endpoint.node_port != 0) {
                continue;
            }
            if (const auto port = next_free(*group.proxy_class->static_endpoints, used_)) {
                endpoint.node_port = *port;
                used_.insert(*port);
            } else {
                ++missing;
            }
        }
        if (missing > 0) {
            about(group.origin, out_)
                .error("too-few-node-ports", group.origin.pos,
                       fmt::format("the ProxyClass \"{}\" has too few NodePorts for this "
                                   "group",
                                   group.proxy_class->name))
                .found(fmt::format("{} free", endpoints.size() - missing))
                .expected(fmt::format("{}, one per replica", endpoints.size()))
                .hint("set a larger range in \"spec.staticEndpoints.nodePort.ports\"")
                .note(class_note(group));
        }
        return missing == 0;
    }

    // Returns the addresses, which are the same for each replica: those of the first Nodes by name.
    std::vector<std::string> hosts_for(const Workload& group) {
        std::vector<std::string> hosts;
        std::size_t selected = 0;
        for (const classify::NodeInput* node : nodes_) {
            if (!selects(group.proxy_class->static_endpoints->selector, *node)) {
                continue;
            }
            ++selected;
            for (const std::string_view address : node->external_ips) {
                if (std::string host = host_of(address);
                    !host.empty() && hosts.size() < kMaxAddresses) {
                    hosts.push_back(std::move(host));
                }
            }
        }
        if (hosts.empty() && !group.hostnames.empty()) {
            refuse_nodes(group, selected);
        }
        return hosts;
    }

    void refuse_nodes(const Workload& group, std::size_t selected) {
        const bool matched = selected > 0;
        about(group.origin, out_)
            .error(matched ? "no-external-address" : "no-matching-node", group.origin.pos,
                   matched ? "no selected Node has an external address"
                           : "the ProxyClass selects no Node for this group's endpoints")
            .found(matched ? fmt::format("Nodes without one: {}", selected)
                           : fmt::format("Nodes in the inputs: {}", nodes_.size()))
            .expected(matched ? "a Node with an address of type ExternalIP in its status"
                              : "a Node with the labels of "
                                "\"spec.staticEndpoints.nodePort.selector\"")
            .hint(nodes_.empty() ? "put the output of \"kubectl get nodes -o yaml\" into a "
                                   "directory and pass it with --context DIR"
                                 : "")
            .note(class_note(group))
            .is_absence();
    }

    std::string_view cluster_;
    NodePins pins_;
    Diagnostics& out_;
    std::vector<load::LockedPort> locked_;
    std::vector<const classify::NodeInput*> nodes_;
    std::set<std::int64_t> used_;  // NodePorts of all groups
};

}  // namespace

std::int64_t tailscaled_port(std::string_view group) {
    std::string key = fmt::format("tailscaled-port/{}", group);
    std::int64_t port = hashed_port(key);
    while (port >= kFirstMatchPort && port < kFirstMatchPort + kMatchPorts) {
        key += "/";
        port = hashed_port(key);
    }
    return port;
}

std::vector<load::LockedPort> plan_static_endpoints(const load::Loaded& loaded,
                                                    const classify::Inventory& inventory,
                                                    std::vector<Workload>& groups,
                                                    Diagnostics& diagnostics) {
    return EndpointPlanner(loaded, inventory, diagnostics).run(groups);
}

}  // namespace renderer::plan
