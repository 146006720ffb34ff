#include "renderer/plan/settings/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "renderer/classify/operator_deployment.h"
#include "renderer/contract/environment.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/image_reference.h"
#include "renderer/plan/settings/settings_decoder.h"
#include "renderer/plan/tags.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kDefaultNamespace = "tailscale";
constexpr std::string_view kDefaultTags = "tag:k8s";
constexpr std::string_view kDefaultRefreshInterval = "1h0m0s";  // of the ExternalSecret CRD

// `repo` is the chart's old spelling of `repository`, and wins.
Image decode_image(const Value& all, std::string_view group, std::string_view key,
                   std::string_view repository, std::string_view tag) {
    Image image;
    image.repository =
        text_at(all, {group, key, "repo"}, text_at(all, {group, key, "repository"}, repository));
    image.tag = text_at(all, {group, key, "tag"}, tag);
    image.digest = text_at(all, {group, key, "digest"});
    image.pull_policy = text_at(all, {group, key, "pullPolicy"});
    for (const std::string_view part : {"digest", "tag", "repository", "repo"}) {
        const Pos pos = pos_at(all, {group, key, part});
        image.pos = pos.known() ? pos : image.pos;
    }
    return image;
}

// Shared with other devices, it would say nothing about who made them.
void decode_take_over(const Value& all, Settings& settings, Diagnostics& diagnostics) {
    settings.take_over_tag = text_at(all, {"tailrender", "takeOverTag"});
    const auto has_it = [&settings](const std::vector<std::string>& tags) {
        return std::ranges::find(tags, settings.take_over_tag) != tags.end();
    };
    const bool is_shared = has_it(settings.default_tags) || has_it(settings.operator_tags);
    if (!settings.take_over_tag.empty() &&
        (is_shared || !tag_error(settings.take_over_tag).empty())) {
        report_unusable("tailrender.takeOverTag", pos_at(all, {"tailrender", "takeOverTag"}),
                        settings.take_over_tag,
                        "a tag such as \"tag:cluster-one\" that only this cluster's proxies have, "
                        "not one of \"proxyConfig.defaultTags\" or \"operatorConfig.defaultTags\"",
                        diagnostics);
    }
}

// The value of the enumeration whose place among the names the setting has, else the first.
template <typename Choice>
Choice chosen(const Value& all, std::string_view key,
              std::initializer_list<std::string_view> names) {
    const std::string text = text_at(all, {"tailrender", key});
    const auto* const found = std::ranges::find(names, text);
    return static_cast<Choice>(found == names.end() ? 0 : found - names.begin());
}

RemoteEntry decode_remote(const Value& all, std::string_view entry) {
    return {.key = text_at(all, {"tailrender", "externalSecret", entry, "key"}),
            .property = text_at(all, {"tailrender", "externalSecret", entry, "property"})};
}

// What is required is only known where the Secret is planned.
void decode_secrets(const Value& all, Settings& settings) {
    settings.secrets = chosen<SecretsMode>(all, "secrets", {"reference", "generate", "external"});
    settings.secrets_pos = pos_at(all, {"tailrender", "secrets"});
    settings.external_secret = {
        .store = text_at(all, {"tailrender", "externalSecret", "store"}),
        .store_kind = text_at(all, {"tailrender", "externalSecret", "storeKind"}, "SecretStore"),
        .refresh_interval = text_at(all, {"tailrender", "externalSecret", "refreshInterval"},
                                    kDefaultRefreshInterval),
        .client_id = decode_remote(all, "clientId"),
        .client_secret = decode_remote(all, "clientSecret")};
}

void decode_dataplane(const Value& all, Settings& settings) {
    const std::string text = text_at(all, {"tailrender", "dataplane"});
    settings.sets_dataplane = text == "native" || text == "containerboot";
    settings.dataplane_pos = pos_at(all, {"tailrender", "dataplane"});
    if (settings.sets_dataplane) {
        settings.dataplane = chosen<Dataplane>(all, "dataplane", {"native", "containerboot"});
    } else if (settings.native_image.is_named()) {
        settings.dataplane = Dataplane::Native;
    }
}

std::string decode_unrecorded(const Value& all) {
    std::vector<std::string_view> names;
    for (const Value& name : items_of(all.at({"tailrender", "apiProxyUnrecorded"}))) {
        if (name.is_string()) {  // others are reported by their type
            names.push_back(text_of(&name));
        }
    }
    return fmt::format("{}", fmt::join(names, ","));
}

void decode_ours(const Value& all, std::string_view operator_namespace, Settings& settings) {
    settings.ns = text_at(all, {"tailrender", "namespace"},
                          operator_namespace.empty() ? kDefaultNamespace : operator_namespace);
    settings.api_ns = text_at(all, {"tailrender", "apiProxyNamespace"}, settings.ns);
    settings.cluster_domain = text_at(all, {"tailrender", "clusterDomain"}, "cluster.local");
    settings.tailnet_domain = text_at(all, {"tailrender", "tailnetDomain"});
    settings.hostname_suffix = text_at(all, {"tailrender", "hostnameSuffix"});
    decode_secrets(all, settings);
    settings.privileges = chosen<Privileges>(all, "privileges", {"privileged", "capabilities"});
    settings.inputs = chosen<InputsMode>(all, "inputs", {"partial", "complete"});
    settings.custom_resources =
        chosen<CustomResources>(all, "customResources", {"auto", "emit", "consume"});
    settings.placement = chosen<Placement>(all, "placement", {"parent", "central"});
    settings.service_monitors = flag_at(all, {"tailrender", "serviceMonitors"});
    settings.image = decode_image(all, "tailrender", "image", "", "v" TAILRENDER_VERSION);
    settings.native_image =
        decode_image(all, "tailrender", "proxyImage", "",
                     fmt::format("v" TAILRENDER_VERSION "-{}", kNativeTailscale));
    decode_dataplane(all, settings);
    const std::int64_t delay = parse_duration(text_at(all, {"tailrender", "cleanupDelay"}));
    if (delay >= 0 && delay % kSecond == 0) {
        settings.cleanup_delay = delay / kSecond;
    }
    settings.api_unrecorded = decode_unrecorded(all);
    settings.node_ports = parse_ports(text_at(all, {"tailrender", "nodePortRange"}));
}

void decode_operator_tags(const Value& all, Settings& settings) {
    settings.operator_tags = split_tags(text_at(all, {"operatorConfig", "defaultTags"}));
    for (const Value& tag : items_of(all.at({"operatorConfig", "defaultTags"}))) {
        settings.operator_tags.emplace_back(text_of(&tag));
    }
}

void decode_default_tags(const Value& all, Settings& settings, Diagnostics& diagnostics) {
    settings.default_tags = split_tags(text_at(all, {"proxyConfig", "defaultTags"}, kDefaultTags));
    for (const std::string& tag : settings.default_tags) {
        const std::string_view wrong = tag_error(tag);
        if (!wrong.empty()) {
            diagnostics
                .error("invalid-tag", pos_at(all, {"proxyConfig", "defaultTags"}),
                       fmt::format("\"proxyConfig.defaultTags\": {}", wrong))
                .found(fmt::format("\"{}\"", tag))
                .expected("tags such as \"tag:k8s\", separated by commas");
        }
    }
}

// The operator's container would hold the name twice, and the last one would win.
void refuse_chart_env(std::string_view name, Pos pos, Diagnostics& diagnostics) {
    const auto* variable =
        std::ranges::find(classify::kOperatorEnv, name, &classify::OperatorEnv::name);
    std::string hint = "remove it";
    if (name == "PROXY_IMAGE") {
        hint = "set \"proxyConfig.image\" instead";
    } else if (variable != classify::kOperatorEnv.end()) {
        hint = fmt::format("set \"{}{}{}\" instead", variable->group,
                           variable->group.empty() ? "" : ".", variable->key);
    }
    diagnostics
        .error(
            "duplicate-env", pos,
            fmt::format("\"{}\" in \"operatorConfig.extraEnv\" is already set by the chart", name))
        .hint(hint);
}

// The variables that pass settings of ours to the controller.
struct OwnEnv {
    std::string_view name, key;
};
constexpr std::array kOwnEnv = {OwnEnv{kCleanupDelayVariable, "cleanupDelay"},
                                OwnEnv{kTakeOverVariable, "takeOverTag"},
                                OwnEnv{kApiNamespaceVariable, "apiProxyNamespace"}};

// What strconv.ParseBool reads as true.
constexpr std::array<std::string_view, 6> kGoTrue = {"1", "t", "T", "true", "TRUE", "True"};

void decode_env(const Value& entry, std::string_view name, std::string_view text,
                Settings& settings, Diagnostics& diagnostics) {
    const Pos pos = pos_at(entry, {"name"});
    if (classify::is_operator_env(name)) {
        refuse_chart_env(name, pos, diagnostics);
    } else if (const auto* own = std::ranges::find(kOwnEnv, name, &OwnEnv::name);
               own != kOwnEnv.end()) {
        diagnostics
            .error("duplicate-env", pos,
                   fmt::format("\"{}\" in \"operatorConfig.extraEnv\" is set by tailrender", name))
            .hint(fmt::format("set \"tailrender.{}\" instead", own->key));
    } else if (name == "PROXY_PRIORITY_CLASS_NAME") {
        settings.priority_class = text;
    } else if (name == "OPERATOR_DEFAULT_LOAD_BALANCER") {
        settings.default_load_balancer = text == "true";
    } else if (name == "K8S_PROXY_IMAGE") {
        settings.k8s_proxy_image = text;
        settings.k8s_proxy_image_pos = pos_at(entry, {"value"});
    } else if (name == variable::kNoLogs) {
        settings.log_upload = std::ranges::find(kGoTrue, text) == kGoTrue.end();
    } else if (name == variable::kKubeApiEvents && text == "true") {
        diagnostics
            .error("removed-setting", pos,
                   "\"TS_EXPERIMENTAL_KUBE_API_EVENTS\" in "
                   "\"operatorConfig.extraEnv\" has been removed")
            .hint("use ACLs instead");
    } else if (name == "AUTH_PROXY" && !text.empty()) {
        diagnostics
            .warning("removed-setting", pos,
                     "\"AUTH_PROXY\" in \"operatorConfig.extraEnv\" has no effect")
            .hint("remove it");
    }
}

bool decides_rendering(std::string_view name) {
    return name == "PROXY_PRIORITY_CLASS_NAME" || name == "OPERATOR_DEFAULT_LOAD_BALANCER" ||
           name == "K8S_PROXY_IMAGE";
}

// The entry's text, "" when it has none. Reports what cannot be an env variable's value.
std::string_view env_text(std::string_view name, const Value& entry, Diagnostics& diagnostics) {
    const Value* value = entry.find("value");
    const Value* from = entry.find("valueFrom");
    if (from != nullptr && decides_rendering(name)) {
        diagnostics
            .error("unknown-offline", from->pos(),
                   fmt::format("the value of \"{}\" is only known in the cluster", name))
            .hint("write it as a plain \"value\"");
    }
    if (value == nullptr || value->is_null()) {
        return {};
    }
    if (!value->is_string()) {
        diagnostics
            .error("wrong-type", value->pos(),
                   fmt::format("\"{}\" in \"operatorConfig.extraEnv\" has the wrong type", name))
            .found(kind_name(*value))
            .expected("a string")
            .hint("put it in quotes");
        return {};
    }
    const bool is_open = value->text().find("${") != std::string_view::npos;
    if ((is_open && decides_rendering(name)) || name.find("${") != std::string_view::npos) {
        diagnostics
            .error("unresolved-variable", value->pos(),
                   fmt::format("\"{}\" in \"operatorConfig.extraEnv\" is not known here", name))
            .found(fmt::format("\"{}\"", value->text()))
            .expected("a name and a value without variables")
            .hint("set the variables that Flux uses, with --substitute NAME=VALUE");
    }
    return value->text();
}

void decode_env_entry(const Value& entry, Settings& settings, Diagnostics& diagnostics) {
    const Value* name = entry.find("name");
    if (text_of(name).empty()) {
        diagnostics
            .error("wrong-type", entry.pos(), "an entry of \"operatorConfig.extraEnv\" has no name")
            .found(kind_name(entry))
            .expected("a map with \"name\" and \"value\"");
        return;
    }
    const std::string_view text = env_text(name->text(), entry, diagnostics);
    decode_env(entry, name->text(), text, settings, diagnostics);
}

Release decode_release(const Value& all, std::span<const ReleaseSource> installed,
                       Diagnostics& diagnostics) {
    std::vector<ReleaseSource> sources;
    const auto add = [&](std::string_view where, std::initializer_list<std::string_view> path) {
        sources.push_back({.text = text_at(all, path), .where = where, .pos = pos_at(all, path)});
    };
    add(kOperatorVersion, {"tailrender", "operatorVersion"});
    sources.insert(sources.end(), installed.begin(), installed.end());
    add("operatorConfig.image.tag", {"operatorConfig", "image", "tag"});
    return choose_release(sources, diagnostics);
}

void decode_chart(const Value& all, Settings& settings, Diagnostics& diagnostics) {
    settings.proxy_image =
        decode_image(all, "proxyConfig", "image", kStockRepository, settings.release.tag);
    decode_operator_tags(all, settings);
    decode_default_tags(all, settings, diagnostics);
    decode_take_over(all, settings, diagnostics);
    settings.firewall_mode = text_at(all, {"proxyConfig", "firewallMode"});
    settings.firewall_mode_pos = pos_at(all, {"proxyConfig", "firewallMode"});
    settings.login_server = text_at(all, {"loginServer"});
    if (settings.login_server.ends_with('/')) {
        settings.login_server.pop_back();
    }
    settings.default_proxy_class = text_at(all, {"proxyConfig", "defaultProxyClass"});
    settings.default_proxy_class_pos = pos_at(all, {"proxyConfig", "defaultProxyClass"});
    settings.ingress_class = text_at(all, {"ingressClass", "name"}, "tailscale");
    settings.ingress_class_enabled = flag_at(all, {"ingressClass", "enabled"});
    settings.names = classify::operator_names(text_at(all, {"fullnameOverride"}));
    settings.share_acme_account = flag_at(all, {"operatorConfig", "sharedACMEAccountKey"});
    for (const Value& entry : items_of(all.at({"operatorConfig", "extraEnv"}))) {
        decode_env_entry(entry, settings, diagnostics);
    }
}

// What the chart renders silently although it cannot work.
void check_combinations(const Value& all, Diagnostics& diagnostics) {
    const Value* annotations = all.at({"operatorConfig", "annotations"});
    if (annotations != nullptr) {
        diagnostics
            .warning(
                "unknown-chart-value", annotations->pos(),
                "\"operatorConfig.annotations\" has no effect: the chart reads \"annotations\"")
            .hint("move it to the top of the values");
    }
    const bool audience = !text_at(all, {"oauth", "audience"}).empty();
    const bool custom = !members_of(all.find("oauthSecretVolume")).empty();
    if (audience && !custom && text_at(all, {"oauth", "clientId"}).empty()) {
        diagnostics
            .warning("no-client-id", pos_at(all, {"oauth", "audience"}),
                     "\"oauth.audience\" without \"oauth.clientId\": the controller cannot log in")
            .hint("set \"oauth.clientId\" to the id of the federated identity");
    }
    if (audience && !text_at(all, {"oauth", "clientSecret"}).empty()) {
        diagnostics
            .warning("unused-client-secret", pos_at(all, {"oauth", "audience"}),
                     "\"oauth.clientSecret\" is not used with \"oauth.audience\"")
            .hint("remove one of the two");
    }
    const Value* app = all.at({"operatorConfig", "podLabels", "app"});
    if (app != nullptr) {
        diagnostics
            .warning(
                "reserved-label", app->pos(),
                "\"operatorConfig.podLabels.app\" is the label that selects the controller's pods")
            .hint("remove it");
    }
}

}  // namespace

std::string Image::reference() const {
    return digest.empty() ? fmt::format("{}:{}", repository, tag)
                          : fmt::format("{}@{}", repository, digest);
}

bool Image::pinned() const {
    const bool has_digest = tag.find('@') != std::string::npos;  // "v1.96.5@sha256:…"
    return has_digest || is_pinned(tag, digest);
}

Settings decode_settings(const std::vector<const Value*>& layers,
                         std::string_view operator_namespace,
                         std::span<const ReleaseSource> installed, Diagnostics& diagnostics) {
    Value all = merge_layers(chart_defaults(), layers);
    check_keys(all, diagnostics);
    check_combinations(all, diagnostics);
    Settings settings;
    decode_ours(all, operator_namespace, settings);
    settings.release = decode_release(all, installed, diagnostics);
    check_newer_keys(all, settings.release, diagnostics);
    decode_chart(all, settings, diagnostics);
    all.erase("tailrender");
    settings.chart = std::move(all);
    return settings;
}

}  // namespace renderer::plan
