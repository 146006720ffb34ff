// Says who may reach what the devices of a tree offer, by the rules of a policy. All rules allow,
// so the answer is what any of them says. Sources: tailscale.com/kb/1538/grants-syntax,
// kb/1437/kubernetes-operator-api-server-proxy, kb/1552/tailscale-services.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "renderer/access/match.h"
#include "renderer/access/model.h"

namespace renderer::access {

// What a device offers to others.
struct Endpoint {
    enum class Kind : std::uint8_t { Port, AllPorts, Route, ExitNode, AppConnector };
    Kind kind = Kind::Port;
    std::string label;  // "443", "53/udp", "every port", "10.0.0.0/8", "exit node"
    int protocol = kTcp;
    int port = 0;
    AddressSet addresses = {};  // of a Route
    std::string target = {};    // "shop/web:80"
    bool is_funnel = false;
    bool is_public = false;   // to everyone, by a load balancer
    bool is_approved = true;  // by the policy: of a Route, an ExitNode, a Tailscale Service
};

struct Device {
    std::string name;         // hostname, or "svc:web"
    std::string parent = {};  // "Ingress/shop/web"
    std::vector<std::string> tags = {};
    // Of the pods that serve the Kubernetes API with identities of the policy, else empty.
    std::vector<std::string> api_tags = {};
    std::vector<Endpoint> endpoints = {};
};

// Some of an endpoint: ports, of addresses behind it.
struct Piece {
    Traffic traffic = {};
    AddressSet addresses = {};  // empty: all that the endpoint has
};

// What one source of rules may do with an endpoint.
struct Access {
    const Selector* who = nullptr;           // of the policy, or the internet
    Match match = Match::Yes;                // Part: as far as `parts` say
    std::vector<std::string> postures = {};  // a condition, one of them
    std::vector<std::string> parts = {};     // "tcp:80", "10.1.0.0/16"
    std::vector<Piece> pieces = {};          // the same, to compare with
    std::vector<const Rule*> rules = {};
};

// What sorts the access to one endpoint, and is there once: what is unknown last, then by who.
inline auto key_of(const Access& access) {
    return std::make_tuple(access.match == Match::Unknown, std::string_view(access.who->text),
                           std::cref(access.postures));
}

// As whom one source of rules acts in Kubernetes.
struct Role {
    const Selector* who = nullptr;  // of the policy
    std::vector<std::string> postures = {};
    std::vector<std::string> groups = {};
    std::vector<std::string> recorders = {};  // tags
    bool enforces_recorder = false;           // no session without a recorder
    std::vector<const Rule*> rules = {};
};

// What a proxy of a cluster wants to reach in the tailnet.
struct Egress {
    std::string parent;  // "Service/shop/db"
    Pos pos = {};        // of the tree's source map
    std::vector<std::string> tags = {};
    std::string target;               // as written
    AddressSet addresses = {};        // empty for a name
    std::vector<Traffic> ports = {};  // none: all
};

class Evaluator {
public:
    // The policy must outlive the evaluator.
    explicit Evaluator(const Policy& policy);

    // Returns who may reach the endpoint, sorted by who. Those that match Unknown come last. Rules
    // for addresses of single devices are not in it.
    const std::vector<Access>& who_reaches(const Device& device, const Endpoint& endpoint);

    // Returns the rules for addresses of single devices, of which the endpoint may have one. They
    // are the same for all devices.
    const std::vector<const Rule*>& unknown_rules(const Endpoint& endpoint);

    // Returns the roles that the device gives. Grants for a Tailscale Service do not count.
    [[nodiscard]] std::vector<Role> roles(const Device& device) const;

    // Returns whether `who` may reach it. Part: some of them, or some of it.
    Match reaches(const Selector& who, const Device& device, const Endpoint& endpoint);

    // Returns whether `who` has the role.
    [[nodiscard]] Match has(const Selector& who, const Role& role) const;

    // Returns whether the proxies may reach the target.
    [[nodiscard]] Match may_leave(const Egress& egress) const;

    // Returns whether `who` may reach the destination, for tests of the policy.
    [[nodiscard]] Match reaches(const Selector& who, const Destination& destination) const;

private:
    struct Candidate {
        const Rule* rule;
        const Destination* destination;
        auto operator<=>(const Candidate&) const = default;
    };

    [[nodiscard]] std::vector<Candidate> candidates(const Target& target) const;
    [[nodiscard]] Match may_send(const Egress& egress, const Traffic& wanted) const;
    bool may_be(const Selector& who, const std::vector<const Rule*>& rules);
    [[nodiscard]] std::vector<Access> find_access(const Device& device,
                                                  const Endpoint& endpoint) const;

    const Policy& policy_;
    std::map<std::string, std::vector<Candidate>, std::less<>> by_name_;  // of a tag or a Service
    std::vector<Candidate> others_, all_;
    std::vector<Candidate> of_all_devices_, of_addresses_;  // of `others_`
    std::map<std::string, std::vector<Access>> known_;
    std::map<std::tuple<bool, int, int, int>, std::vector<const Rule*>> unknown_;
    std::map<std::pair<const void*, std::string>, bool> sources_;
};

// Returns the traffic that the endpoint takes.
Traffic traffic_of(const Endpoint& endpoint);

// Returns "group:dev (tcp:80) if posture:new".
std::string who_text(std::string_view who, const std::vector<std::string>& parts,
                     const std::vector<std::string>& postures);

}  // namespace renderer::access
