#include "renderer/plan/settings/settings_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/settings/settings_fields.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::plan {

namespace {

constexpr std::size_t kLongestList = 120;

// Keys that not every release of the chart has.
struct NewerKey {
    std::string_view group;  // "" = a value at the top
    std::string_view key;
    Trait since;
};

constexpr std::array kNewerKeys = {
    NewerKey{"operatorConfig", "priorityClassName", Trait::PriorityClassValue},
    NewerKey{"", "annotations", Trait::AnnotationsValue},
    NewerKey{"", "nameOverride", Trait::NameValues},
    NewerKey{"", "fullnameOverride", Trait::NameValues},
    NewerKey{"operatorConfig", "sharedACMEAccountKey", Trait::AcmeAccounts},
};

// "tailrender.KEY" for a message about KEY, if it is one of ours; else "".
std::string our_key(std::string_view message) {
    const std::size_t begin = message.find('"') + 1;
    const std::string_view key = message.substr(begin, message.find('"', begin) - begin);
    const bool is_ours = std::ranges::any_of(our_fields(), [&](const repo::SchemaField& field) {
        const std::vector<std::string_view> names = split(field.names, ' ');
        return std::ranges::find(names, key) != names.end();
    });
    return is_ours ? fmt::format("tailrender.{}", key) : std::string();
}

// Returns "proxyConfig.KEY" for a message about KEY, if only another section of the chart's values
// has it; else "".
std::string other_section(std::string_view message) {
    const std::size_t begin = message.find('"') + 1;
    const std::string_view key = message.substr(begin, message.find('"', begin) - begin);
    std::string found;
    for (const repo::SchemaField& field : chart_fields()) {
        if (!field.section.empty() && repo::find_field(field.section, key) != nullptr) {
            if (!found.empty()) {
                return {};
            }
            found = fmt::format("{}.{}", field.names, key);
        }
    }
    return found;
}

// What the chart does not know is only a warning, but a typo such as "tailrendr" hides every
// setting of ours.
Diagnostic about_chart(Diagnostic unknown) {
    if (unknown.hint.empty()) {
        unknown.hint = did_you_mean(our_key(unknown.message));
    }
    if (unknown.hint.empty()) {
        unknown.hint = did_you_mean(other_section(unknown.message));
    }
    if (unknown.message == "unknown key \"tailscale-operator\" in the values") {
        unknown.hint =
            "these are values of a chart that depends on the operator's: use what is below this "
            "key";
    }
    const bool misspells_ours = unknown.hint == did_you_mean("tailrender");
    unknown.severity = misspells_ours ? Severity::Error : Severity::Warning;
    unknown.rule = misspells_ours ? "unknown-setting" : "unknown-chart-value";
    if (!unknown.hint.empty() || unknown.expected.size() > kLongestList) {
        unknown.expected.clear();
    }
    return unknown;
}

Diagnostic about_ours(Diagnostic unknown) {
    unknown.rule = "unknown-setting";
    return unknown;
}

// Adds how --set sets a string that looks like a number or a boolean.
Diagnostic with_flag(Diagnostic wrong) {
    const std::string_view hint = wrong.hint;
    if (wrong.rule != "wrong-type" || wrong.expected != "a string" ||
        (!hint.starts_with("write ") && hint != "put it in quotes")) {
        return wrong;
    }
    const std::size_t quote = hint.find('"');
    const std::string_view text =
        quote == std::string_view::npos ? "VALUE" : hint.substr(quote + 1, hint.size() - quote - 2);
    const std::string_view message = wrong.message;
    const std::string_view path = message.substr(1, message.find('"', 1) - 1);
    wrong.hint += fmt::format("; on the command line: --set '{}=\\{}'", path, text);
    return wrong;
}

void add_all(const Diagnostics& found, Diagnostic (*reword)(Diagnostic unknown),
             Diagnostics& diagnostics) {
    for (const Diagnostic& one : found.all()) {
        diagnostics.add(one.rule == repo::kUnknownKeyRule ? reword(one) : with_flag(one));
    }
}

void merge_into(Value& base, const Value& over) {
    for (const Member& member : over.members()) {
        Value* existing = base.find(member.name());
        if (existing != nullptr && existing->is_map() && member.value.is_map()) {
            merge_into(*existing, member.value);
            continue;
        }
        base.erase(member.name());
        base.add(member.key.clone(), member.value.clone());
    }
}

void drop_nulls(Value& map) {
    std::vector<std::string> nulls;
    for (Member& member : map.members()) {
        if (member.value.is_null()) {
            nulls.emplace_back(member.name());
        } else if (member.value.is_map()) {
            drop_nulls(member.value);
        }
    }
    for (const std::string& name : nulls) {
        map.erase(name);
    }
}

std::int64_t unit_in_ms(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits = {
        {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
    const auto* found =
        std::ranges::find(kUnits, unit, &std::pair<std::string_view, std::int64_t>::first);
    return found == kUnits.end() ? -1 : found->second;
}

}  // namespace

Value chart_defaults() {
    return Value::map({
        {"loginServer", ""},
        {"installCRDs", true},
        {"operatorConfig",
         Value::map({{"defaultTags", Value::list({"tag:k8s-operator"})},
                     {"logging", "info"},
                     {"hostname", "tailscale-operator"},
                     {"nodeSelector", Value::map({{"kubernetes.io/os", "linux"}})}})},
        {"ingressClass", Value::map({{"name", "tailscale"}, {"enabled", true}})},
        {"proxyConfig", Value::map({{"image", Value::map({{"repository", "tailscale/tailscale"}})},
                                    {"defaultTags", "tag:k8s"},
                                    {"firewallMode", "auto"}})},
        {"apiServerProxyConfig", Value::map({{"allowImpersonation", "false"}, {"mode", "false"}})},
    });
}

// The user's layers are merged first, nulls and all: a map that follows a null then meets the
// default again, as in Helm.
Value merge_layers(Value defaults, const std::vector<const Value*>& layers) {
    Value user = Value::map();
    for (const Value* layer : layers) {
        if (layer->is_map()) {
            merge_into(user, *layer);
        }
    }
    merge_into(defaults, user);
    drop_nulls(defaults);
    return defaults;
}

Finding report_unusable(std::string_view path, Pos pos, std::string_view found,
                        std::string_view expected, Diagnostics& diagnostics) {
    const bool has_password = !secrets::find_userinfo(found).empty();
    return diagnostics.error("invalid-setting", pos, fmt::format("invalid \"{}\"", path))
        .found(has_password ? std::string(secrets::kHiddenPassword) : fmt::format("\"{}\"", found))
        .expected(expected)
        .hide_text(has_password);
}

void check_keys(const Value& settings, Diagnostics& diagnostics) {
    Diagnostics chart;
    Diagnostics ours;
    repo::check_schema(settings, chart_fields(), "the values", chart);
    if (const Value* map = repo::map_of(settings, "tailrender")) {
        repo::check_schema(*map, our_fields(), "\"tailrender\"", ours, "tailrender");
    }
    add_all(chart, about_chart, diagnostics);
    add_all(ours, about_ours, diagnostics);
}

void check_release_keys(const Value& values, Diagnostics& diagnostics) {
    Diagnostics found;
    repo::check_schema(values, chart_fields(), "the values", found);
    for (const Diagnostic& one : found.all()) {
        if (one.rule == repo::kUnknownKeyRule) {
            Diagnostic warning = about_chart(one);
            warning.severity = Severity::Warning;
            diagnostics.add(std::move(warning));
        }
    }
    if (const Value* ours = values.find("tailrender"); ours != nullptr && !ours->is_null()) {
        diagnostics
            .warning("unknown-chart-value", ours->pos(),
                     "\"tailrender\" has no effect in the values of the operator's release")
            .expected(
                "these settings in a file of --values, or in \"values\" of the cluster in "
                ".tailrender.yaml")
            .hint("move them there");
    }
}

void check_newer_keys(const Value& settings, const Release& release, Diagnostics& diagnostics) {
    for (const NewerKey& key : kNewerKeys) {
        const Value* value =
            key.group.empty() ? settings.find(key.key) : settings.at({key.group, key.key});
        if (value == nullptr || release.has(key.since)) {
            continue;
        }
        diagnostics
            .warning("unknown-chart-value", value->pos(),
                     fmt::format("the operator's chart has no \"{}{}{}\" in {}", key.group,
                                 key.group.empty() ? "" : ".", key.key, release.name()))
            .expected(fmt::format("release {} or later", since(key.since).name()));
    }
}

std::string text_at(const Value& settings, std::initializer_list<std::string_view> path,
                    std::string_view fallback) {
    const std::string_view text = text_of(settings.at(path));
    return std::string(text.empty() ? fallback : text);
}

bool flag_at(const Value& settings, std::initializer_list<std::string_view> path) {
    return spelling_of(settings.at(path)) == "true";
}

Pos pos_at(const Value& settings, std::initializer_list<std::string_view> path) {
    const Value* value = settings.at(path);
    return value == nullptr ? Pos{} : value->pos();
}

std::optional<PortRange> parse_ports(std::string_view text) {
    PortRange range;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, range.first);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') {
        return std::nullopt;
    }
    const auto last = std::from_chars(first.ptr + 1, end, range.last);
    const bool whole = last.ec == std::errc() && last.ptr == end;
    return whole && range.first > 0 && range.first <= range.last && range.last <= kMaxPort
               ? std::optional(range)
               : std::nullopt;
}

std::int64_t parse_duration(std::string_view text) {
    if (text == "0") {
        return 0;
    }
    std::int64_t total = text.empty() ? -1 : 0;
    while (!text.empty()) {
        constexpr std::string_view kDigits = "0123456789";
        const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
        const std::string_view rest = text.substr(digits);
        const std::size_t letters = std::min(rest.find_first_of(kDigits), rest.size());
        std::int64_t number = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + digits, number);
        const std::int64_t unit = unit_in_ms(rest.substr(0, letters));
        if (digits == 0 || digits > 9 || parsed.ec != std::errc() || unit < 0) {
            return -1;
        }
        total += number * unit;
        text = rest.substr(letters);
    }
    return total;
}

}  // namespace renderer::plan
