#include "renderer/plan/settings/settings_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/image_reference.h"
#include "renderer/kube/metadata_rules.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/server_url.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/settings/settings_decoder.h"

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

template <const Format& kFormat>
constexpr repo::SchemaField formed(std::string_view names) {
    return {.names = names,
            .type = repo::FieldType::Text,
            .check = form<kFormat>,
            .form = kFormat.expected};
}

template <const Choice& kChoice>
constexpr repo::SchemaField with_choices(std::string_view names,
                                         repo::FieldType type = repo::FieldType::Text) {
    return {.names = names,
            .type = type,
            .check = one_of<kChoice>,
            .choices = kChoice.names,
            .is_open = !kChoice.is_strict};
}

// The chart's values.yaml.
constexpr std::array kOauth = {
    repo::SchemaField{"clientId clientSecret audience", repo::FieldType::Text},
};
constexpr std::array kOperatorImage = {
    repo::SchemaField{"repository repo tag digest", repo::FieldType::Text},
    with_choices<kPullPolicy>("pullPolicy"),
};
constexpr std::array kOperator = {
    repo::SchemaField{"defaultTags", repo::FieldType::TextOrTextList},
    repo::SchemaField{"image", repo::FieldType::Section, kOperatorImage},
    with_choices<kLogging>("logging"),
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
    formed<kIngressClass>("name"),
    repo::SchemaField{"enabled", repo::FieldType::Flag},
};
constexpr std::array kProxyImage = {
    formed<kRepository>("repository repo"),
    formed<kTag>("tag"),
    formed<kDigest>("digest"),
};
constexpr std::array kProxy = {
    repo::SchemaField{"image", repo::FieldType::Section, kProxyImage},
    repo::SchemaField{"defaultTags firewallMode defaultProxyClass", repo::FieldType::Text},
};
constexpr std::array kApiServerProxy = {
    repo::SchemaField{"allowImpersonation", repo::FieldType::TextOrFlag},
    with_choices<kApiMode>("mode", repo::FieldType::TextOrFlag),
};
constexpr std::array kChart = {
    repo::SchemaField{
        .names = "oauth", .type = repo::FieldType::Section, .section = kOauth, .is_secret = true},
    formed<kServerUrl>("loginServer"),
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
    formed<kRepository>("repository"),
    formed<kTag>("tag"),
    formed<kDigest>("digest"),
    with_choices<kPullPolicy>("pullPolicy"),
};
constexpr std::array kRemote = {repo::SchemaField{"key property", repo::FieldType::Text}};
constexpr std::array kExternalSecret = {
    formed<kStore>("store"),
    with_choices<kStoreKind>("storeKind"),
    formed<kDuration>("refreshInterval"),
    repo::SchemaField{"clientId clientSecret", repo::FieldType::Section, kRemote},
};
constexpr std::array kOurs = {
    formed<kNamespace>("namespace"),
    formed<kClusterDomain>("clusterDomain"),
    formed<kTailnetDomain>("tailnetDomain"),
    with_choices<kDataplane>("dataplane"),
    formed<kOperatorVersion>("operatorVersion"),
    repo::SchemaField{"image proxyImage", repo::FieldType::Section, kImage},
    repo::SchemaField{"serviceMonitors", repo::FieldType::Flag},
    with_choices<kCustomResources>("customResources"),
    with_choices<kSecrets>("secrets"),
    repo::SchemaField{"externalSecret", repo::FieldType::Section, kExternalSecret},
    with_choices<kPlacement>("placement"),
    formed<kSuffix>("hostnameSuffix"),
    with_choices<kInputs>("inputs"),
    with_choices<kPrivileges>("privileges"),
    formed<kWholeSeconds>("cleanupDelay"),
    formed<kPortRangeFormat>("nodePortRange"),
    repo::SchemaField{"takeOverTag", repo::FieldType::Text},
    formed<kNamespace>("apiProxyNamespace"),
    repo::SchemaField{"apiProxyUnrecorded", repo::FieldType::TextList, {}, subresources},
};

}  // namespace

repo::Schema chart_fields() {
    return kChart;
}

repo::Schema our_fields() {
    return kOurs;
}

}  // namespace renderer::plan
