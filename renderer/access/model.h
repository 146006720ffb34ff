// The policy of a tailnet as far as it says who may reach what: its rules, with the names that they
// use. A selector is what a rule calls the two ends: "group:dev", "tag:web", "10.0.0.0/8". Sources:
// tailscale.com/kb/1337/policy-syntax, kb/1538/grants-syntax, kb/1387/ipsets, kb/1396/targets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/access/addresses.h"
#include "renderer/core/pos.h"

namespace renderer::access {

enum class SelectorKind : std::uint8_t {
    Everything,  // "*"
    User,        // "alice@example.com"
    Domain,      // "user:*@example.com"
    Group,
    Tag,
    AutoGroup,
    Addresses,  // an address, a prefix, a range, a name of `hosts`, an IP set
    Service,    // "svc:web"
};

struct Selector {
    SelectorKind kind = SelectorKind::Everything;
    std::string text = {};  // as written, without ports
    AddressSet addresses = {};
};

constexpr int kMaxPort = 65535;
constexpr int kIcmp = 1, kTcp = 6, kUdp = 17, kIcmp6 = 58;

// Protocols and ports. Without a protocol: TCP, UDP and ICMP.
struct Traffic {
    int protocol = -1;
    int first = 0, last = kMaxPort;
};

struct Destination {
    Selector selector;
    std::vector<Traffic> traffic;
};

// What a grant lets its sources be in Kubernetes.
struct KubernetesRole {
    std::vector<std::string> groups;     // impersonated
    std::vector<std::string> recorders;  // tags
    bool enforces_recorder = false;      // no session without one
};

struct Rule {
    std::string_view section;  // "acls" or "grants"
    Pos pos = {};
    std::vector<Selector> sources = {};
    std::vector<Destination> destinations = {};
    std::vector<std::string> postures = {};  // conditions: one is enough
    std::vector<std::string> via = {};       // tags of routers and exit nodes
    std::vector<KubernetesRole> roles = {};
};

// An entry of `tests`.
struct Test {
    Pos pos = {};
    Selector source = {};
    int protocol = -1;
    std::vector<std::pair<Destination, Pos>> accept = {}, deny = {};
};

struct Policy {
    bool allows_all = false;  // neither `acls` nor `grants`
    std::vector<Rule> rules = {};
    std::map<std::string, std::vector<std::string>, std::less<>> groups = {};  // users, sorted
    std::vector<Selector> funnel = {};  // targets of nodeAttrs with Funnel
    std::vector<Test> tests = {};
    // Sections whose meaning is unknown: what they allow is not in the answers.
    std::vector<std::string> unknown_sections = {};
};

constexpr std::string_view kTagPrefix = "tag:";
constexpr std::string_view kGroupPrefix = "group:";
constexpr std::string_view kAutoGroupPrefix = "autogroup:";
constexpr std::string_view kServicePrefix = "svc:";
constexpr std::string_view kIpSetPrefix = "ipset:";
constexpr std::string_view kInternet = "autogroup:internet";

// Returns "tcp:443", "udp:80-90", "*".
std::string traffic_text(const Traffic& traffic);
// Returns "tcp" for 6, or the number.
std::string protocol_name(int protocol);
// Parses a name or a number; -1 for "". Returns nothing if it is neither.
std::optional<int> parse_protocol(std::string_view text);

}  // namespace renderer::access
