#include "renderer/plan/settings/settings_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "renderer/base/ascii.h"
#include "renderer/kube/image_reference.h"
#include "renderer/kube/metadata_rules.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/server_url.h"
#include "renderer/plan/grammar.h"
#include "renderer/secrets/userinfo.h"

namespace renderer {

namespace {

enum class Type : std::uint8_t {
    String,
    Flag,
    LooseFlag,
    Map,
    Labels,
    Annotations,
    List,
    TextOrList
};

struct Format {
    bool (*matches)(std::string_view text) = nullptr;
    std::string_view expected = {};
};

struct Key {
    std::string_view path;
    Type type;
    std::string_view choices = {};    // closed choice, separated by "|"; empty = open
    std::string_view not_built = {};  // those of the choices that are refused
    bool strict_choice = true;        // false: another value is a warning
    Format format = {};               // of a text that is not empty
};

bool is_repository(std::string_view text) {
    return parse_image_reference(fmt::format("{}:tag", text)).error.empty();
}

// Behind a tag a digest may stand: "v1.96.5@sha256:…".
bool is_image_tag(std::string_view text) {
    return parse_image_reference(fmt::format("image:{}", text)).error.empty();
}

bool is_image_digest(std::string_view text) {
    return parse_image_reference(fmt::format("image@{}", text)).error.empty();
}

bool is_tailnet_domain(std::string_view text) {
    return is_dns_name(text) && text.find('.') != std::string_view::npos;
}

constexpr Format kRepository = {is_repository, "a repository of images, without tag and digest"};
constexpr Format kTag = {is_image_tag, "the tag of an image such as \"v1.96.5\""};
constexpr Format kDigest = {is_image_digest,
                            "the digest of an image: \"sha256:\" and 64 digits of 0-9a-f"};
constexpr Format kServerUrl = {is_server_url, kServerUrlGrammar};
constexpr Format kIngressClass = {is_dns1123_subdomain,
                                  "the name of an IngressClass: lower-case letters, digits, dashes "
                                  "and dots"};
constexpr Format kNamespace = {is_dns1123_label, kDnsLabelGrammar};
constexpr Format kClusterDomain = {is_dns_name, "a DNS name such as \"cluster.local\""};
constexpr Format kTailnetDomain = {is_tailnet_domain, "a DNS name such as \"tail1a2b3.ts.net\""};
constexpr Format kSuffix = {is_dns1123_label, kDnsLabelGrammar};
constexpr Format kStore = {is_dns1123_subdomain, "the name of a SecretStore or ClusterSecretStore"};

constexpr Key formatted(std::string_view path, Format format) {
    return {.path = path, .type = Type::String, .format = format};
}

// Sorted by nothing but reading order: the chart's values.yaml, then ours.
constexpr std::array kKeys = {
    Key{"oauth.clientId", Type::String},
    Key{"oauth.clientSecret", Type::String},
    Key{"oauth.audience", Type::String},
    formatted("loginServer", kServerUrl),
    Key{"oauthSecretVolume", Type::Map},
    Key{"installCRDs", Type::Flag},
    Key{"operatorConfig.defaultTags", Type::TextOrList},
    Key{"operatorConfig.image.repository", Type::String},
    Key{"operatorConfig.image.repo", Type::String},
    Key{"operatorConfig.image.tag", Type::String},
    Key{"operatorConfig.image.digest", Type::String},
    Key{"operatorConfig.image.pullPolicy", Type::String, "Always|IfNotPresent|Never"},
    Key{"operatorConfig.logging", Type::String, "info|debug|dev", "", false},
    Key{"operatorConfig.hostname", Type::String},
    Key{"operatorConfig.nodeSelector", Type::Labels},
    Key{"operatorConfig.resources", Type::Map},
    Key{"operatorConfig.podAnnotations", Type::Annotations},
    Key{"operatorConfig.podLabels", Type::Labels},
    Key{"operatorConfig.serviceAccountAnnotations", Type::Annotations},
    Key{"operatorConfig.tolerations", Type::List},
    Key{"operatorConfig.affinity", Type::Map},
    Key{"operatorConfig.podSecurityContext", Type::Map},
    Key{"operatorConfig.securityContext", Type::Map},
    Key{"operatorConfig.extraEnv", Type::List},
    formatted("ingressClass.name", kIngressClass),
    Key{"ingressClass.enabled", Type::Flag},
    formatted("proxyConfig.image.repository", kRepository),
    formatted("proxyConfig.image.repo", kRepository),
    formatted("proxyConfig.image.tag", kTag),
    formatted("proxyConfig.image.digest", kDigest),
    Key{"proxyConfig.defaultTags", Type::String},
    Key{"proxyConfig.firewallMode", Type::String},  // its choices: check_firewall_mode
    Key{"proxyConfig.defaultProxyClass", Type::String},
    Key{"apiServerProxyConfig.allowImpersonation", Type::LooseFlag},
    Key{"apiServerProxyConfig.mode", Type::LooseFlag, "true|false|noauth", "", false},
    Key{"imagePullSecrets", Type::List},
    Key{"global", Type::Map},
    formatted("tailrender.namespace", kNamespace),
    formatted("tailrender.clusterDomain", kClusterDomain),
    formatted("tailrender.tailnetDomain", kTailnetDomain),
    Key{"tailrender.dataplane", Type::String, "containerboot|native", "native"},
    formatted("tailrender.image.repository", kRepository),
    formatted("tailrender.image.tag", kTag),
    formatted("tailrender.image.digest", kDigest),
    Key{"tailrender.image.pullPolicy", Type::String, "Always|IfNotPresent|Never"},
    Key{"tailrender.serviceMonitors", Type::Flag},
    Key{"tailrender.customResources", Type::String, "auto|emit|consume"},
    Key{"tailrender.secrets", Type::String, "reference|generate|external"},
    formatted("tailrender.externalSecret.store", kStore),
    Key{"tailrender.externalSecret.storeKind", Type::String, "SecretStore|ClusterSecretStore"},
    Key{"tailrender.externalSecret.refreshInterval", Type::String},
    Key{"tailrender.externalSecret.clientId.key", Type::String},
    Key{"tailrender.externalSecret.clientId.property", Type::String},
    Key{"tailrender.externalSecret.clientSecret.key", Type::String},
    Key{"tailrender.externalSecret.clientSecret.property", Type::String},
    Key{"tailrender.placement", Type::String, "parent|central"},
    formatted("tailrender.hostnameSuffix", kSuffix),
    Key{"tailrender.cleanupDelay", Type::String},
    Key{"tailrender.takeOverTag", Type::String},
    Key{"tailrender.inputs", Type::String, "partial|complete"},
    Key{"tailrender.privileges", Type::String, "privileged|capabilities", "capabilities"},
    Key{"tailrender.nodePortRange", Type::String},
};

std::vector<std::string_view> split_choices(std::string_view choices) {
    std::vector<std::string_view> parts;
    while (!choices.empty()) {
        const std::size_t bar = choices.find('|');
        parts.push_back(choices.substr(0, bar));
        choices.remove_prefix(bar == std::string_view::npos ? choices.size() : bar + 1);
    }
    return parts;
}

bool is_ours(std::string_view path) {
    return path.starts_with("tailrender.");
}

std::string_view scalar_text(const Value& value) {
    if (value.is_bool()) {
        return value.as_bool() ? "true" : "false";
    }
    return value.text();
}

bool all_strings(std::span<const Value> items) {
    return std::ranges::all_of(items, &Value::is_string);
}

bool has_type(const Value& value, Type type) {
    switch (type) {
        case Type::String:
            return value.is_string();
        case Type::Flag:
            return value.is_bool();
        case Type::LooseFlag:
            return value.is_bool() || value.is_string();
        case Type::Map:
        case Type::Labels:
        case Type::Annotations:
            return value.is_map();
        case Type::List:
            return value.is_list();
        case Type::TextOrList:
            return value.is_string() || (value.is_list() && all_strings(value.items()));
    }
    return false;
}

std::string_view type_name(Type type) {
    switch (type) {
        case Type::String:
            return "a string";
        case Type::Flag:
            return "a boolean";
        case Type::LooseFlag:
            return "a boolean or a string";
        case Type::Map:
        case Type::Labels:
        case Type::Annotations:
            return "a map";
        case Type::List:
            return "a list";
        case Type::TextOrList:
            return "a list of strings";
    }
    return "";
}

bool may_hold_secret(std::string_view path) {
    return path.starts_with("oauth");
}

void report_wrong_type(std::string_view path, const Value& value, std::string_view expected,
                       Diagnostics& diagnostics) {
    const bool quotable = value.is_number() || value.is_bool();
    diagnostics.add({.rule = "wrong-type",
                     .pos = value.pos(),
                     .message = fmt::format("\"{}\" has the wrong type", path),
                     .found = std::string(kind_name(value)),
                     .expected = std::string(expected),
                     .hint = quotable && expected == "a string" ? "put the value in quotes" : "",
                     .hide_text = may_hold_secret(path)});
}

void check_choice(const Key& key, const Value& value, Diagnostics& diagnostics) {
    const std::string_view text = scalar_text(value);
    std::vector<std::string_view> choices = split_choices(key.choices);
    if (text.empty() || std::ranges::find(choices, text) != choices.end()) {
        return;
    }
    const std::vector<std::string_view> refused = split_choices(key.not_built);
    std::erase_if(choices, [&](std::string_view choice) {
        return std::ranges::find(refused, choice) != refused.end();
    });
    const std::string_view near = nearest(text, choices);
    diagnostics.add({.severity = key.strict_choice ? Severity::Error : Severity::Warning,
                     .rule = "unknown-choice",
                     .pos = value.pos(),
                     .message = fmt::format("invalid value of \"{}\"", key.path),
                     .found = fmt::format("\"{}\"", text),
                     .expected = fmt::format("one of {{ {} }}", fmt::join(choices, ", ")),
                     .hint = near.empty() ? "" : fmt::format("did you mean \"{}\"?", near)});
}

void check_built(const Key& key, const Value& value, Diagnostics& diagnostics) {
    const std::vector<std::string_view> refused = split_choices(key.not_built);
    const std::string_view text = scalar_text(value);
    if (std::ranges::find(refused, text) != refused.end()) {
        diagnostics.add({.rule = "not-supported",
                         .pos = value.pos(),
                         .message = fmt::format("\"{}: {}\" is not supported yet", key.path, text),
                         .hint = fmt::format("remove \"{}\"", key.path)});
    }
}

// An entry of the labels or annotations of an object.
void check_entry(const Key& key, const Member& member, Diagnostics& diagnostics) {
    const std::string path = fmt::format("{}.{}", key.path, member.name());
    const bool is_label = key.type == Type::Labels;
    if (!(is_label ? key_faults(member.name()) : annotation_key_faults(member.name())).empty()) {
        report_unusable(key.path, member.key.pos(), member.name(), kLabelKeyGrammar, diagnostics);
    }
    if (!member.value.is_string()) {
        report_wrong_type(path, member.value, "a string", diagnostics);
    } else if (is_label && !is_label_value(member.value.text())) {
        report_unusable(path, member.value.pos(), member.value.text(), kLabelValueGrammar,
                        diagnostics);
    }
}

void check_value(const Key& key, const Value& value, Diagnostics& diagnostics) {
    if (!has_type(value, key.type)) {
        report_wrong_type(key.path, value, type_name(key.type), diagnostics);
        return;
    }
    if (key.type == Type::Labels || key.type == Type::Annotations) {
        for (const Member& member : value.members()) {
            check_entry(key, member, diagnostics);
        }
    }
    if (key.format.matches != nullptr && !value.text().empty() &&
        !key.format.matches(value.text())) {
        report_unusable(key.path, value.pos(), value.text(), key.format.expected, diagnostics);
    }
    if (!key.choices.empty()) {
        check_choice(key, value, diagnostics);
    }
    if (!key.not_built.empty()) {
        check_built(key, value, diagnostics);
    }
}

// The names that may stand directly under `prefix` ("" or "a.b.").
std::vector<std::string_view> names_under(std::string_view prefix) {
    std::vector<std::string_view> names;
    for (const Key& key : kKeys) {
        if (key.path.starts_with(prefix)) {
            const std::string_view rest = key.path.substr(prefix.size());
            const std::string_view name = rest.substr(0, rest.find('.'));
            if (names.empty() || names.back() != name) {
                names.push_back(name);
            }
        }
    }
    return names;
}

void report_unknown(std::string_view prefix, const Member& member, Diagnostics& diagnostics) {
    const std::vector<std::string_view> names = names_under(prefix);
    const std::string_view near = nearest(member.name(), names);
    const bool ours = is_ours(prefix);
    std::string place =
        prefix.empty() ? "the values" : fmt::format("\"{}\"", prefix.substr(0, prefix.size() - 1));
    diagnostics.add(
        {.severity = ours ? Severity::Error : Severity::Warning,
         .rule = ours ? "unknown-setting" : "unknown-chart-value",
         .pos = member.key.pos(),
         .message = fmt::format("unknown key \"{}\" in {}", member.name(), place),
         .expected = ours ? fmt::format("one of {{ {} }}", fmt::join(names, ", ")) : std::string(),
         .hint = near.empty() ? "" : fmt::format("did you mean \"{}\"?", near),
         .hide_text = may_hold_secret(prefix)});
}

// A top-level slip such as "tailrendr" hides every setting of ours: never only a warning.
bool misspells_ours(std::string_view prefix, std::string_view name) {
    return prefix.empty() && nearest(name, {"tailrender"}) == "tailrender";
}

void check_map(std::string_view prefix, const Value& map, Diagnostics& diagnostics);

void check_member(std::string_view prefix, const Member& member, Diagnostics& diagnostics) {
    const std::string path = fmt::format("{}{}", prefix, member.name());
    const auto* key = std::ranges::find(kKeys, std::string_view(path), &Key::path);
    if (key != kKeys.end()) {
        check_value(*key, member.value, diagnostics);
        return;
    }
    const std::string inner = path + ".";
    const bool group = std::ranges::any_of(
        kKeys, [&](const Key& candidate) { return candidate.path.starts_with(inner); });
    if (group && member.value.is_map()) {
        check_map(inner, member.value, diagnostics);
    } else if (group) {
        report_wrong_type(path, member.value, "a map", diagnostics);
    } else if (misspells_ours(prefix, member.name())) {
        diagnostics.add({.rule = "unknown-setting",
                         .pos = member.key.pos(),
                         .message = fmt::format("unknown key \"{}\" in the values", member.name()),
                         .hint = "did you mean \"tailrender\"?"});
    } else {
        report_unknown(prefix, member, diagnostics);
    }
}

void check_map(std::string_view prefix, const Value& map, Diagnostics& diagnostics) {
    for (const Member& member : map.members()) {
        check_member(prefix, member, diagnostics);
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

void report_unusable(std::string_view path, Pos pos, std::string_view found,
                     std::string_view expected, Diagnostics& diagnostics) {
    const bool has_password = !find_userinfo(found).empty();
    diagnostics.add(
        {.rule = "invalid-setting",
         .pos = pos,
         .message = fmt::format("invalid \"{}\"", path),
         .found = has_password ? std::string(kHiddenPassword) : fmt::format("\"{}\"", found),
         .expected = std::string(expected),
         .hide_text = has_password});
}

void check_keys(const Value& settings, Diagnostics& diagnostics) {
    check_map("", settings, diagnostics);
}

std::string text_at(const Value& settings, std::initializer_list<std::string_view> path,
                    std::string_view fallback) {
    const Value* value = settings.at(path);
    if (value == nullptr || !value->is_string() || value->text().empty()) {
        return std::string(fallback);
    }
    return std::string(value->text());
}

bool flag_at(const Value& settings, std::initializer_list<std::string_view> path) {
    const Value* value = settings.at(path);
    if (value == nullptr || !(value->is_bool() || value->is_string())) {
        return false;
    }
    return scalar_text(*value) == "true";
}

Pos pos_at(const Value& settings, std::initializer_list<std::string_view> path) {
    const Value* value = settings.at(path);
    return value == nullptr ? Pos{} : value->pos();
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

}  // namespace renderer
