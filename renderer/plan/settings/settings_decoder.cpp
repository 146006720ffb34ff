#include "renderer/plan/settings/settings_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/image_reference.h"
#include "renderer/kube/metadata_rules.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/server_url.h"
#include "renderer/plan/grammar.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::plan {

namespace {

struct Format {
    bool (*matches)(std::string_view text);
    std::string_view expected;
};

struct Choice {
    std::string_view names;  // separated by "|"
    bool is_strict = true;   // false: another value is a warning
};

bool is_operator_version(std::string_view text) {
    return version_of_tag(text).has_value();
}

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

bool is_duration(std::string_view text) {
    return parse_duration(text) >= 0;
}

bool is_whole_seconds(std::string_view text) {
    return is_duration(text) && parse_duration(text) % kSecond == 0;
}

bool is_port_range(std::string_view text) {
    return parse_ports(text).has_value();
}

constexpr Format kRepository = {is_repository, "a repository of images, without tag and digest"};
constexpr Format kTag = {is_image_tag, "the tag of an image such as \"v1.96.5\""};
constexpr Format kDigest = {is_image_digest,
                            "the digest of an image: \"sha256:\" and 64 digits of 0-9a-f"};
constexpr Format kOperatorVersion = {is_operator_version,
                                     "a release of the operator such as \"1.96\" or \"1.96.5\""};
constexpr Format kServerUrl = {is_server_url, kServerUrlGrammar};
constexpr Format kIngressClass = {is_dns1123_subdomain,
                                  "the name of an IngressClass: lower-case letters, digits, dashes "
                                  "and dots"};
constexpr Format kNamespace = {is_dns1123_label, kDnsLabelGrammar};
constexpr Format kClusterDomain = {is_dns_name, "a DNS name such as \"cluster.local\""};
constexpr Format kTailnetDomain = {is_tailnet_domain, "a DNS name such as \"tail1a2b3.ts.net\""};
constexpr Format kSuffix = {is_dns1123_label, kDnsLabelGrammar};
constexpr Format kDuration = {is_duration, "a duration such as \"1h\""};
constexpr Format kWholeSeconds = {is_whole_seconds, "a duration of whole seconds such as \"10m\""};
constexpr Format kPortRangeFormat = {is_port_range, "a range of ports such as \"30000-32767\""};
constexpr Format kStore = {is_dns1123_subdomain, "the name of a SecretStore or ClusterSecretStore"};

constexpr Choice kPullPolicy = {"Always|IfNotPresent|Never"};
constexpr Choice kLogging = {.names = "info|debug|dev", .is_strict = false};
constexpr Choice kApiMode = {.names = "true|false|noauth", .is_strict = false};
constexpr Choice kDataplane = {"containerboot|native"};
constexpr Choice kCustomResources = {"auto|emit|consume"};
constexpr Choice kSecrets = {"reference|generate|external"};
constexpr Choice kStoreKind = {"SecretStore|ClusterSecretStore"};
constexpr Choice kPlacement = {"parent|central"};
constexpr Choice kInputs = {"partial|complete"};
constexpr Choice kPrivileges = {"privileged|capabilities"};

// The checks of the tables below: an empty text is no choice and has no form.
template <const Format& kFormat>
void form(std::string_view path, const Value& value, Diagnostics& diagnostics) {
    if (!value.text().empty() && !kFormat.matches(value.text())) {
        report_unusable(path, value.pos(), value.text(), kFormat.expected, diagnostics);
    }
}

void check_choice(const Choice& choice, std::string_view path, const Value& value,
                  Diagnostics& diagnostics) {
    const std::string_view text = spelling_of(value);
    const std::vector<std::string_view> names = split(choice.names, '|');
    if (text.empty() || std::ranges::find(names, text) != names.end()) {
        return;
    }
    const std::string_view near = nearest(text, names);
    diagnostics
        .say(choice.is_strict ? Severity::Error : Severity::Warning, "unknown-choice", value.pos(),
             fmt::format("invalid value of \"{}\"", path))
        .found(fmt::format("\"{}\"", text))
        .expected(fmt::format("one of {{ {} }}", fmt::join(names, ", ")))
        .hint(did_you_mean(near));
}

template <const Choice& kChoice>
void one_of(std::string_view path, const Value& value, Diagnostics& diagnostics) {
    check_choice(kChoice, path, value, diagnostics);
}

void labels(std::string_view path, const Value& value, Diagnostics& diagnostics) {
    for (const Member& label : value.members()) {
        if (!key_faults(label.name()).empty()) {
            report_unusable(path, label.key.pos(), label.name(), kLabelKeyGrammar, diagnostics);
        }
        if (!is_label_value(text_of(label.value))) {
            report_unusable(fmt::format("{}.{}", path, label.name()), label.value.pos(),
                            text_of(label.value), kLabelValueGrammar, diagnostics);
        }
    }
}

void annotations(std::string_view path, const Value& value, Diagnostics& diagnostics) {
    for (const Member& annotation : value.members()) {
        if (!annotation_key_faults(annotation.name()).empty()) {
            report_unusable(path, annotation.key.pos(), annotation.name(), kLabelKeyGrammar,
                            diagnostics);
        }
    }
}

void subresources(std::string_view path, const Value& value, Diagnostics& diagnostics) {
    for (const Value& name : value.items()) {
        if (!is_subresource(name.text())) {
            report_unusable(path, name.pos(), name.text(),
                            "RESOURCE/SUBRESOURCE such as \"nodes/proxy\"", diagnostics);
        }
    }
}

constexpr repo::SchemaField formed(std::string_view names,
                                   decltype(repo::SchemaField::check) check) {
    return {.names = names, .type = repo::FieldType::Text, .check = check};
}

// The chart's values.yaml.
constexpr std::array kOauth = {
    repo::SchemaField{"clientId clientSecret audience", repo::FieldType::Text},
};
constexpr std::array kOperatorImage = {
    repo::SchemaField{"repository repo tag digest", repo::FieldType::Text},
    formed("pullPolicy", one_of<kPullPolicy>),
};
constexpr std::array kOperator = {
    repo::SchemaField{"defaultTags", repo::FieldType::TextOrTextList},
    repo::SchemaField{"image", repo::FieldType::Section, kOperatorImage},
    formed("logging", one_of<kLogging>),
    repo::SchemaField{"hostname", repo::FieldType::Text},
    repo::SchemaField{"nodeSelector podLabels", repo::FieldType::TextMap, {}, labels},
    repo::SchemaField{"podAnnotations serviceAccountAnnotations annotations",
                      repo::FieldType::TextMap,
                      {},
                      annotations},
    repo::SchemaField{"resources affinity podSecurityContext securityContext",
                      repo::FieldType::Map},
    repo::SchemaField{"tolerations extraEnv", repo::FieldType::List},
    repo::SchemaField{"sharedACMEAccountKey", repo::FieldType::TextOrFlag},
    repo::SchemaField{"priorityClassName", repo::FieldType::Text},
};
constexpr std::array kIngressKeys = {
    formed("name", form<kIngressClass>),
    repo::SchemaField{"enabled", repo::FieldType::Flag},
};
constexpr std::array kProxyImage = {
    formed("repository repo", form<kRepository>),
    formed("tag", form<kTag>),
    formed("digest", form<kDigest>),
};
constexpr std::array kProxy = {
    repo::SchemaField{"image", repo::FieldType::Section, kProxyImage},
    repo::SchemaField{"defaultTags firewallMode defaultProxyClass", repo::FieldType::Text},
};
constexpr std::array kApiServerProxy = {
    repo::SchemaField{"allowImpersonation", repo::FieldType::TextOrFlag},
    repo::SchemaField{"mode", repo::FieldType::TextOrFlag, {}, one_of<kApiMode>},
};
constexpr std::array kChart = {
    repo::SchemaField{
        .names = "oauth", .type = repo::FieldType::Section, .section = kOauth, .is_secret = true},
    formed("loginServer", form<kServerUrl>),
    repo::SchemaField{
        .names = "oauthSecretVolume", .type = repo::FieldType::Map, .is_secret = true},
    repo::SchemaField{"installCRDs", repo::FieldType::Flag},
    repo::SchemaField{"operatorConfig", repo::FieldType::Section, kOperator},
    repo::SchemaField{"ingressClass", repo::FieldType::Section, kIngressKeys},
    repo::SchemaField{"proxyConfig", repo::FieldType::Section, kProxy},
    repo::SchemaField{"apiServerProxyConfig", repo::FieldType::Section, kApiServerProxy},
    repo::SchemaField{"imagePullSecrets", repo::FieldType::List},
    repo::SchemaField{"annotations", repo::FieldType::TextMap, {}, annotations},
    repo::SchemaField{"nameOverride fullnameOverride", repo::FieldType::Text},
    repo::SchemaField{"global tailrender", repo::FieldType::Map},
};

constexpr std::array kImage = {
    formed("repository", form<kRepository>),
    formed("tag", form<kTag>),
    formed("digest", form<kDigest>),
    formed("pullPolicy", one_of<kPullPolicy>),
};
constexpr std::array kRemote = {repo::SchemaField{"key property", repo::FieldType::Text}};
constexpr std::array kExternalSecret = {
    formed("store", form<kStore>),
    formed("storeKind", one_of<kStoreKind>),
    formed("refreshInterval", form<kDuration>),
    repo::SchemaField{"clientId clientSecret", repo::FieldType::Section, kRemote},
};
constexpr std::array kOurs = {
    formed("namespace", form<kNamespace>),
    formed("clusterDomain", form<kClusterDomain>),
    formed("tailnetDomain", form<kTailnetDomain>),
    formed("dataplane", one_of<kDataplane>),
    formed("operatorVersion", form<kOperatorVersion>),
    repo::SchemaField{"image proxyImage", repo::FieldType::Section, kImage},
    repo::SchemaField{"serviceMonitors", repo::FieldType::Flag},
    formed("customResources", one_of<kCustomResources>),
    formed("secrets", one_of<kSecrets>),
    repo::SchemaField{"externalSecret", repo::FieldType::Section, kExternalSecret},
    formed("placement", one_of<kPlacement>),
    formed("hostnameSuffix", form<kSuffix>),
    formed("inputs", one_of<kInputs>),
    formed("privileges", one_of<kPrivileges>),
    formed("cleanupDelay", form<kWholeSeconds>),
    formed("nodePortRange", form<kPortRangeFormat>),
    repo::SchemaField{"takeOverTag", repo::FieldType::Text},
    formed("apiProxyNamespace", form<kNamespace>),
    repo::SchemaField{"apiProxyUnrecorded", repo::FieldType::TextList, {}, subresources},
};

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
    const bool is_ours = std::ranges::any_of(kOurs, [&](const repo::SchemaField& field) {
        const std::vector<std::string_view> names = split(field.names, ' ');
        return std::ranges::find(names, key) != names.end();
    });
    return is_ours ? fmt::format("tailrender.{}", key) : std::string();
}

// What the chart does not know is only a warning, but a typo such as "tailrendr" hides every
// setting of ours.
Diagnostic about_chart(Diagnostic unknown) {
    if (unknown.hint.empty()) {
        unknown.hint = did_you_mean(our_key(unknown.message));
    }
    if (unknown.message == "unknown key \"tailscale-operator\" in the values") {
        unknown.hint =
            "these are values of a chart that depends on the operator's: use what is below this "
            "key";
    }
    const bool misspells_ours = unknown.hint == did_you_mean("tailrender");
    unknown.severity = misspells_ours ? Severity::Error : Severity::Warning;
    unknown.rule = misspells_ours ? "unknown-setting" : "unknown-chart-value";
    unknown.expected.clear();
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
    repo::check_schema(settings, kChart, "the values", chart);
    if (const Value* map = repo::map_of(settings, "tailrender")) {
        repo::check_schema(*map, kOurs, "\"tailrender\"", ours, "tailrender");
    }
    add_all(chart, about_chart, diagnostics);
    add_all(ours, about_ours, diagnostics);
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
