#include "renderer/access/read_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <set>
#include <span>
#include <utility>

#include "renderer/access/selectors.h"
#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace renderer::access {
namespace {

using policy::Node;
using Kind = Node::Kind;

constexpr std::string_view kKubernetes = "tailscale.com/cap/kubernetes";
// The known sections of a policy file. Most of them have no rules about access.
constexpr std::array<std::string_view, 18> kSections = {"acls",
                                                        "autoApprovers",
                                                        "defaultSrcPosture",
                                                        "derpMap",
                                                        "disableIPv4",
                                                        "disableIPv6",
                                                        "grants",
                                                        "groups",
                                                        "hosts",
                                                        "ipsets",
                                                        "nodeAttrs",
                                                        "OneCGNATRoute",
                                                        "postures",
                                                        "randomizeClientPort",
                                                        "ssh",
                                                        "sshTests",
                                                        "tagOwners",
                                                        "tests"};

class PolicyReader {
public:
    PolicyReader(const Node& root, const SourceMap& sources, SourceId source,
                 Diagnostics& diagnostics)
        : root_(root),
          sources_(sources),
          source_(source),
          diagnostics_(diagnostics),
          selectors_(root) {}

    std::optional<Policy> read() {
        const std::size_t before = diagnostics_.error_count();
        check_sections();
        read_groups();
        defined_postures_ = section("postures", Kind::Map);
        default_postures_ = texts_of(section("defaultSrcPosture", Kind::List));
        check_names();
        policy_.allows_all =
            root_.find_any_case("acls") == nullptr && root_.find_any_case("grants") == nullptr;
        for (const Node* rule : maps_of("acls")) {
            read_acl(*rule);
        }
        for (const Node* rule : maps_of("grants")) {
            read_grant(*rule);
        }
        for (const Node* entry : maps_of("nodeAttrs")) {
            read_attributes(*entry);
        }
        for (const Node* test : maps_of("tests")) {
            read_test(*test);
        }
        return diagnostics_.error_count() == before ? std::optional(std::move(policy_))
                                                    : std::nullopt;
    }

private:
    [[nodiscard]] Pos place(const Node& node) const { return sources_.pos(source_, node.begin); }

    void refuse(std::string_view rule, const Node& node, std::string message,
                std::string_view expected) {
        diagnostics_.error(rule, place(node), std::move(message))
            .found(node.is_string() ? fmt::format("\"{}\"", node.text)
                                    : std::string(policy::kind_name(node)))
            .expected(expected);
    }

    // Returns false, with an error, if the node exists and has another kind.
    bool is_of(const Node* node, Kind kind, std::string_view name) {
        if (node == nullptr || node->kind == kind) {
            return node != nullptr;
        }
        Node wanted;
        wanted.kind = kind;
        refuse("policy-shape", *node, fmt::format("{} has the wrong type", name),
               policy::kind_name(wanted));
        return false;
    }

    const Node* section(std::string_view name, Kind kind) {
        const Node* found = root_.find_any_case(name);
        return is_of(found, kind, name) ? found : nullptr;
    }

    std::vector<const Node*> maps_of(std::string_view name) {
        std::vector<const Node*> maps;
        const Node* list = section(name, Kind::List);
        for (const policy::Entry& entry : list == nullptr ? kNone : list->entries) {
            if (is_of(&entry.value, Kind::Map, fmt::format("an item of {}", name))) {
                maps.push_back(&entry.value);
            }
        }
        return maps;
    }

    std::vector<std::string> texts_of(const Node* list) {
        std::vector<std::string> texts;
        for (const Node* item : strings_of(list)) {
            texts.push_back(item->text);
        }
        return texts;
    }

    std::vector<const Node*> strings_of(const Node* list) {
        std::vector<const Node*> found;
        for (const policy::Entry& entry : list == nullptr ? kNone : list->entries) {
            if (is_of(&entry.value, Kind::String, "an item of the list")) {
                found.push_back(&entry.value);
            }
        }
        return found;
    }

    // Reports duplicate keys, which differ in case only. Returns those that are not in `names`.
    std::vector<const Node*> unknown_keys(const Node& map, std::string_view rule,
                                          std::span<const std::string_view> names) {
        std::vector<const Node*> unknown;
        std::set<std::string> seen;
        for (const policy::Entry& entry : map.entries) {
            const std::string key = lower_case(entry.key.text);
            if (!seen.insert(key).second) {
                refuse(rule, entry.key, fmt::format("{} is duplicated", entry.key.text),
                       "one; the case of its name does not matter");
            }
            if (std::ranges::none_of(names, [&](std::string_view name) {
                    return name.size() == key.size() && lower_case(name) == key;
                })) {
                unknown.push_back(&entry.key);
            }
        }
        return unknown;
    }

    static std::string suggestion(const Node& key, std::span<const std::string_view> names) {
        return did_you_mean(nearest(key.text, {names.begin(), names.end()}));
    }

    void check_sections() {
        for (const Node* key : unknown_keys(root_, "policy-shape", kSections)) {
            diagnostics_
                .warning(
                    "policy-section", place(*key),
                    fmt::format("unknown section \"{}\": what it allows is not known", key->text))
                .hint(suggestion(*key, kSections));
            policy_.unknown_sections.push_back(key->text);
        }
    }

    void read_groups() {
        const Node* groups = section("groups", Kind::Map);
        for (const policy::Entry& entry : groups == nullptr ? kNone : groups->entries) {
            const bool is_list =
                is_of(&entry.value, Kind::List, fmt::format("\"{}\"", entry.key.text));
            std::vector<std::string> members = texts_of(is_list ? &entry.value : nullptr);
            std::ranges::sort(members);
            policy_.groups.emplace(entry.key.text, std::move(members));
        }
    }

    void check_names() {
        const Node* hosts = section("hosts", Kind::Map);
        for (const policy::Entry& entry : hosts == nullptr ? kNone : hosts->entries) {
            if (is_of(&entry.value, Kind::String, fmt::format("hosts.\"{}\"", entry.key.text)) &&
                !parse_range(entry.value.text)) {
                refuse("policy-selector", entry.value, "invalid address in hosts",
                       "an address or a prefix");
            }
        }
        const Node* ip_sets = section("ipsets", Kind::Map);
        for (const policy::Entry& entry : ip_sets == nullptr ? kNone : ip_sets->entries) {
            is_of(&entry.value, Kind::List, fmt::format("ipsets.\"{}\"", entry.key.text));
        }
    }

    void check_fields(const Node& rule, std::string_view kind,
                      std::initializer_list<std::string_view> fields) {
        const std::span<const std::string_view> names(fields.begin(), fields.size());
        for (const Node* key : unknown_keys(rule, "policy-field", names)) {
            diagnostics_
                .error("policy-field", place(*key),
                       fmt::format("unknown field \"{}\" in {}", key->text, kind))
                .expected(fmt::format("one of {}", fmt::join(names, ", ")))
                .hint(suggestion(*key, names));
        }
    }

    std::optional<Selector> selector(const Node& node, std::string_view text) {
        auto parsed = selectors_.parse(text);
        if (!parsed.selector) {
            refuse(parsed.rule, node, fmt::format("unknown selector \"{}\"", text),
                   parsed.expected);
        }
        return std::move(parsed.selector);
    }

    // Returns the list of a field of either name, the newer one first; reports what is missing.
    const Node* list_field(const Node& rule, std::string_view kind, std::string_view name,
                           std::string_view older) {
        const Node* list = rule.find_any_case(name);
        if (list == nullptr && !older.empty()) {
            list = rule.find_any_case(older);
        }
        if (list == nullptr) {
            refuse("policy-field", rule, fmt::format("a rule of {} has no {}", kind, name),
                   fmt::format("\"{}\": a list of selectors", name));
            return nullptr;
        }
        return is_of(list, Kind::List, fmt::format("{}.{}", kind, name)) ? list : nullptr;
    }

    Rule start_rule(const Node& node, std::string_view name, std::string_view older) {
        Rule rule{.section = name, .pos = place(node)};
        for (const Node* item : strings_of(list_field(node, name, "src", older))) {
            const auto source = selector(*item, item->text);
            if (source && (source->text == kInternet || source->text == "autogroup:self" ||
                           source->kind == SelectorKind::Service)) {
                refuse("policy-selector", *item, "this is not a source", "who connects");
            } else if (source) {
                rule.sources.push_back(*source);
            }
        }
        const Node* postures = node.find_any_case("srcPosture");
        rule.postures =
            postures == nullptr
                ? default_postures_
                : texts_of(is_of(postures, Kind::List, "srcPosture") ? postures : nullptr);
        for (const std::string& posture : rule.postures) {
            if (defined_postures_ == nullptr || defined_postures_->find(posture) == nullptr) {
                refuse("policy-reference", postures == nullptr ? node : *postures,
                       fmt::format("posture \"{}\" is not defined", posture), "a name in postures");
            }
        }
        return rule;
    }

    void read_acl(const Node& node) {
        check_fields(node, "acls",
                     {"action", "dst", "ports", "proto", "src", "srcPosture", "users"});
        const Node* action = node.find_any_case("action");
        if (action == nullptr || action->text != "accept") {
            refuse("policy-field", action == nullptr ? node : *action,
                   "a rule of acls has no action", "\"action\": \"accept\"");
        }
        const int protocol = protocol_field(node);
        Rule rule = start_rule(node, "acls", "users");
        for (const Node* item : strings_of(list_field(node, "acls", "dst", "ports"))) {
            if (auto destination = with_ports(*item, protocol)) {
                rule.destinations.push_back(std::move(*destination));
            }
        }
        policy_.rules.push_back(std::move(rule));
    }

    int protocol_field(const Node& node) {
        const Node* proto = node.find_any_case("proto");
        const auto protocol = parse_protocol(proto == nullptr ? "" : proto->text);
        if (!protocol || (proto != nullptr && !proto->is_string())) {
            refuse("policy-ports", *proto, "unknown protocol",
                   "tcp, udp, icmp, another name, or a number up to 255");
        }
        return protocol.value_or(-1);
    }

    // Reads "tag:web:80,443".
    std::optional<Destination> with_ports(const Node& item, int protocol) {
        const std::string_view text = item.text;
        const auto colon = text.rfind(':');
        if (colon == std::string_view::npos) {
            refuse("policy-ports", item, "a destination of acls has no ports",
                   "\"NAME:PORTS\", such as \"tag:web:443\"");
            return std::nullopt;
        }
        std::string_view name = text.substr(0, colon);
        if (name.starts_with('[') && name.ends_with(']')) {
            name = name.substr(1, name.size() - 2);
        }
        auto found = destination(item, name);
        auto traffic = ports_of(item, text.substr(colon + 1), protocol);
        if (!found || !traffic) {
            return std::nullopt;
        }
        return Destination{std::move(*found), std::move(*traffic)};
    }

    std::optional<Selector> destination(const Node& item, std::string_view name) {
        auto found = selector(item, name);
        if (found && found->text == "autogroup:danger-all") {
            refuse("policy-selector", item, "this is not a destination", "what is reached");
            return std::nullopt;
        }
        return found;
    }

    std::optional<std::vector<Traffic>> ports_of(const Node& item, std::string_view text,
                                                 int protocol) {
        std::vector<Traffic> all;
        for (const std::string_view part : split(text, ',')) {
            const auto ports = part == "*" ? std::optional(std::pair(0, kMaxPort)) : range_of(part);
            if (!ports) {
                all.clear();
                break;
            }
            all.push_back({protocol, ports->first, ports->second});
        }
        if (all.empty()) {
            refuse("policy-ports", item, fmt::format("invalid ports \"{}\"", text),
                   "*, 443, 8000-8999, or several of these with commas");
            return std::nullopt;
        }
        return all;
    }

    static std::optional<std::pair<int, int>> range_of(std::string_view text) {
        const std::string_view first = take(text, '-');
        const auto low = port_of(first);
        const auto high = text.empty() ? low : port_of(text);
        return low && high && *low <= *high ? std::optional(std::pair(*low, *high)) : std::nullopt;
    }

    static std::optional<int> port_of(std::string_view text) {
        int port = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
        const bool is_port = error == std::errc() && end == text.data() + text.size() &&
                             port >= 0 && port <= kMaxPort;
        return is_port ? std::optional(port) : std::nullopt;
    }

    void read_grant(const Node& node) {
        check_fields(node, "grants", {"app", "dst", "ip", "src", "srcPosture", "via"});
        Rule rule = start_rule(node, "grants", "");
        const std::vector<Traffic> traffic = capabilities_of_network(node);
        for (const Node* item : strings_of(list_field(node, "grants", "dst", ""))) {
            if (auto found = destination(*item, item->text)) {
                rule.destinations.push_back({std::move(*found), traffic});
            }
        }
        if (const Node* via = node.find_any_case("via"); is_of(via, Kind::List, "grants.via")) {
            for (const Node* item : strings_of(via)) {
                const auto tag = selector(*item, item->text);
                if (tag && tag->kind != SelectorKind::Tag) {
                    refuse("policy-selector", *item, "only tags can be in via", "a tag");
                }
                rule.via.push_back(item->text);
            }
        }
        if (const Node* app = node.find_any_case("app"); is_of(app, Kind::Map, "grants.app")) {
            read_capabilities(*app, rule);
        }
        policy_.rules.push_back(std::move(rule));
    }

    std::vector<Traffic> capabilities_of_network(const Node& grant) {
        std::vector<Traffic> all;
        const Node* list = grant.find_any_case("ip");
        if (!is_of(list, Kind::List, "grants.ip")) {
            if (list == nullptr && grant.find_any_case("app") == nullptr) {
                refuse("policy-field", grant, "a grant allows nothing", "\"ip\" or \"app\"");
            }
            return all;
        }
        for (const Node* item : strings_of(list)) {
            const std::string_view text = item->text;
            const auto colon = text.find(':');
            const auto protocol =
                parse_protocol(colon == std::string_view::npos ? "" : text.substr(0, colon));
            if (!protocol || colon == 0) {
                refuse("policy-ports", *item, "unknown protocol",
                       "\"*\", \"443\", \"tcp:443\" or \"udp:*\"");
                continue;
            }
            if (const auto ports = ports_of(*item, text.substr(colon + 1), *protocol)) {
                all.insert(all.end(), ports->begin(), ports->end());
            }
        }
        return all;
    }

    void read_capabilities(const Node& app, Rule& rule) {
        for (const policy::Entry& entry : app.entries) {
            if (entry.key.text != kKubernetes || !is_of(&entry.value, Kind::List, kKubernetes)) {
                continue;
            }
            for (const policy::Entry& item : entry.value.entries) {
                const Node& value = item.value;
                if (!is_of(&value, Kind::Map, kKubernetes)) {
                    continue;
                }
                KubernetesRole role;
                const Node* impersonate = value.find("impersonate");
                role.groups =
                    texts_of(impersonate == nullptr ? nullptr : impersonate->find("groups"));
                role.recorders = texts_of(value.find("recorder"));
                const Node* enforces = value.find("enforceRecorder");
                role.enforces_recorder =
                    enforces != nullptr &&
                    sources_.text(source_).substr(enforces->begin,
                                                  enforces->end - enforces->begin) == "true";
                rule.roles.push_back(std::move(role));
            }
        }
    }

    void read_attributes(const Node& entry) {
        const std::vector<std::string> attributes = texts_of(entry.find_any_case("attr"));
        if (std::ranges::find(attributes, "funnel") == attributes.end()) {
            return;
        }
        for (const Node* item : strings_of(entry.find_any_case("target"))) {
            if (auto target = selector(*item, item->text)) {
                policy_.funnel.push_back(std::move(*target));
            }
        }
    }

    void read_test(const Node& node) {
        check_fields(node, "tests", {"accept", "deny", "proto", "src", "srcPostureAttrs"});
        Test test{.pos = place(node), .protocol = protocol_field(node)};
        const Node* source = node.find_any_case("src");
        if (source == nullptr || !source->is_string()) {
            refuse("policy-field", source == nullptr ? node : *source, "a test has no src",
                   "\"src\": a selector");
            return;
        }
        const auto found = selector(*source, source->text);
        for (auto& [name, list] : {std::pair("accept", &test.accept), {"deny", &test.deny}}) {
            const Node* items = node.find_any_case(name);
            for (const Node* item : strings_of(is_of(items, Kind::List, name) ? items : nullptr)) {
                auto destination = with_ports(*item, test.protocol);
                if (destination && !can_be_tested(*destination)) {
                    refuse("policy-test", *item, "this is not a destination of a test",
                           "one port of a tag, user, host or address, such as \"tag:web:443\"");
                } else if (destination) {
                    list->emplace_back(std::move(*destination), place(*item));
                }
            }
        }
        if (node.find_any_case("accept") == nullptr && node.find_any_case("deny") == nullptr) {
            refuse("policy-test", node, "a test tests nothing", "\"accept\" or \"deny\"");
        }
        if (found) {
            test.source = *found;
            policy_.tests.push_back(std::move(test));
        }
    }

    // Tailscale's control plane fails other tests, whatever the rules allow.
    static bool can_be_tested(const Destination& destination) {
        const Selector& to = destination.selector;
        const Traffic& first = destination.traffic.front();
        const bool has_one_address =
            to.kind != SelectorKind::Addresses || to.text.starts_with(kIpSetPrefix) ||
            (to.addresses.is_one() && to.text.find('/') == std::string::npos);
        return destination.traffic.size() == 1 && first.first == first.last &&
               to.text != kInternet && has_one_address;
    }

    inline static const std::vector<policy::Entry> kNone;

    const Node& root_;
    const SourceMap& sources_;
    SourceId source_;
    Diagnostics& diagnostics_;
    SelectorReader selectors_;
    const Node* defined_postures_ = nullptr;
    std::vector<std::string> default_postures_;
    Policy policy_;
};

}  // namespace

std::optional<Policy> read_policy(const Node& root, const SourceMap& sources, SourceId source,
                                  Diagnostics& diagnostics) {
    return PolicyReader(root, sources, source, diagnostics).read();
}

}  // namespace renderer::access
