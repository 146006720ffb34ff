#include "runtime/api_proxy/grants.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/text_of.h"
#include "runtime/api_proxy/head.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

using renderer::Value;

namespace {

renderer::Error malformed(std::string_view capability, std::string_view what) {
    return {
        {.rule = "malformed-grant",
         .message = fmt::format("the grant of \"{}\" for you is malformed: {}", capability, what),
         .hint = "see the grants in the policy file of the tailnet"}};
}

// The members of a rule. Go's decoder ignores the case of keys, and uses the last of two equal
// keys. Here a rule with two keys that are equal in Go is malformed. So is a rule with a key beyond
// ASCII, since Go folds a few such characters to ASCII letters.
class Rule {
public:
    static renderer::Result<Rule> read(std::string_view capability, const Value& rule) {
        Rule out(capability);
        if (!rule.is_map() && !rule.is_null()) {
            return malformed(capability,
                             fmt::format("a rule is {}, not a map", renderer::kind_name(rule)));
        }
        for (const renderer::Member& member : renderer::members_of(&rule)) {
            const bool is_ascii = std::ranges::all_of(
                member.name(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
            if (!is_ascii || out.find(member.name()) != nullptr) {
                return malformed(capability, fmt::format("key \"{}\"", member.name()));
            }
            out.members_.push_back(&member);
        }
        return out;
    }

    // Returns nullptr if the key is missing or null.
    [[nodiscard]] const Value* at(std::string_view key) const {
        const renderer::Member* member = find(key);
        return member == nullptr || member->value.is_null() ? nullptr : &member->value;
    }

    [[nodiscard]] renderer::Result<bool> flag(std::string_view key) const {
        const Value* value = at(key);
        if (value != nullptr && !value->is_bool()) {
            return malformed(capability_, fmt::format("\"{}\" is {}, not a boolean", key,
                                                      renderer::kind_name(*value)));
        }
        return value != nullptr && value->as_bool();
    }

    [[nodiscard]] renderer::Result<std::vector<std::string>> texts(std::string_view key) const {
        std::vector<std::string> out;
        const Value* value = at(key);
        if (value != nullptr && !value->is_list()) {
            return malformed(capability_, fmt::format("\"{}\" is {}, not a list", key,
                                                      renderer::kind_name(*value)));
        }
        for (const Value& item : renderer::items_of(value)) {
            if (!item.is_string()) {
                return malformed(capability_, fmt::format("\"{}\" holds {}, not only strings", key,
                                                          renderer::kind_name(item)));
            }
            out.emplace_back(item.text());
        }
        return out;
    }

private:
    explicit Rule(std::string_view capability) : capability_(capability) {}

    [[nodiscard]] const renderer::Member* find(std::string_view key) const {
        for (const renderer::Member* member : members_) {
            if (equals_ignoring_case(member->name(), key)) {
                return member;
            }
        }
        return nullptr;
    }

    std::string_view capability_;  // a constant
    std::vector<const renderer::Member*> members_;
};

renderer::Result<renderer::Unit> add_groups(std::string_view capability, const Rule& rule,
                                            std::vector<std::string>& groups) {
    const Value* impersonate = rule.at("impersonate");
    if (impersonate == nullptr) {
        return renderer::Unit{};
    }
    const Rule inner = TRY(Rule::read(capability, *impersonate));
    for (std::string& group : TRY(inner.texts("groups"))) {
        if (!is_field_value(group)) {
            return malformed(capability, fmt::format("group \"{}\"", group));
        }
        if (std::ranges::find(groups, group) == groups.end()) {
            groups.push_back(std::move(group));
        }
    }
    return renderer::Unit{};
}

renderer::Result<renderer::Unit> add_recording(const Rule& rule, Grants& out) {
    TRY(rule.texts("recorder"));
    for (std::string& address : TRY(rule.texts("recorderAddrs"))) {
        if (!AddressPort::parse(address)) {
            return malformed(kCapability, fmt::format("recorder address \"{}\"", address));
        }
        out.recorders.push_back(std::move(address));
    }
    out.enforces_recorder |= TRY(rule.flag("enforceRecorder"));
    out.records_events |= TRY(rule.flag("enableEvents"));
    return renderer::Unit{};
}

renderer::Result<std::vector<Rule>> read_rules(const Value& capabilities,
                                               std::string_view capability) {
    std::vector<Rule> out;
    const Value* rules = capabilities.find(capability);
    if (rules == nullptr || rules->is_null()) {
        return out;
    }
    if (!rules->is_list()) {
        return malformed(capability,
                         fmt::format("it is {}, not a list of rules", renderer::kind_name(*rules)));
    }
    for (const Value& rule : rules->items()) {
        out.push_back(TRY(Rule::read(capability, rule)));
    }
    return out;
}

}  // namespace

renderer::Result<Grants> read_grants(const Value* capabilities) {
    Grants out;
    if (capabilities == nullptr || capabilities->is_null()) {
        return out;
    }
    if (!capabilities->is_map()) {
        return malformed(kCapability, "invalid capability map of tailscaled");
    }
    const std::vector<Rule> rules = TRY(read_rules(*capabilities, kCapability));
    for (const Rule& rule : rules) {
        TRY(add_groups(kCapability, rule, out.groups));
        TRY(add_recording(rule, out));
    }
    if (rules.empty()) {
        for (const Rule& rule : TRY(read_rules(*capabilities, kLegacyCapability))) {
            TRY(add_groups(kLegacyCapability, rule, out.groups));
        }
    }
    return out;
}

}  // namespace runtime::api_proxy
