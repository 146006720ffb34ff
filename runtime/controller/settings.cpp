#include "runtime/controller/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "renderer/contract/environment.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/base/url.h"

namespace runtime::controller {

using renderer::Diagnostic;
using renderer::Error;
using renderer::Result;

namespace {

constexpr std::string_view kAccount = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::string_view kIdentityToken = "/var/run/secrets/tailscale/serviceaccount/token";
constexpr std::string_view kApi = "https://api.tailscale.com";

Error missing(std::string_view name, std::string hint) {
    return {Diagnostic{.rule = "missing-variable",
                       .where = std::string(name),
                       .message = "environment variable \"" + std::string(name) + "\" is not set",
                       .hint = std::move(hint)}};
}

Result<Duration> read_delay(const Environment& environment) {
    const auto text = environment("CLEANUP_DELAY_SECONDS");
    int seconds = 300;
    if (text) {
        const char* end = text->data() + text->size();
        const auto [stop, error] = std::from_chars(text->data(), end, seconds);
        if (error != std::errc() || stop != end || seconds < 0) {
            return Error{{.rule = "invalid-variable",
                          .where = "CLEANUP_DELAY_SECONDS",
                          .message = "invalid CLEANUP_DELAY_SECONDS",
                          .found = "\"" + *text + "\"",
                          .expected = "an integer, 0 or more"}};
        }
    }
    return Duration(std::chrono::seconds(seconds));
}

Result<std::string> read_take_over_tag(const Environment& environment) {
    constexpr std::string_view kPrefix = "tag:";
    auto tag = environment("TAKE_OVER_TAG");
    if (tag && (!tag->starts_with(kPrefix) || tag->size() == kPrefix.size())) {
        return Error{{.rule = "invalid-variable",
                      .where = "TAKE_OVER_TAG",
                      .message = "invalid TAKE_OVER_TAG",
                      .found = "\"" + *tag + "\"",
                      .expected = "a tag such as \"tag:cluster-one\""}};
    }
    return std::move(tag).value_or("");
}

Result<std::string> read_api_namespace(const Environment& environment) {
    auto ns = environment("API_PROXY_NAMESPACE");
    if (ns && !renderer::is_dns1123_label(*ns)) {
        return Error{{.rule = "invalid-variable",
                      .where = "API_PROXY_NAMESPACE",
                      .message = "invalid API_PROXY_NAMESPACE",
                      .found = "\"" + *ns + "\"",
                      .expected = std::string(renderer::kDnsLabelGrammar)}};
    }
    return ns == environment("OPERATOR_NAMESPACE") ? std::string() : std::move(ns).value_or("");
}

// An unknown value counts as `info`, as in the operator.
void read_logging(const Environment& environment, ProcessSettings& settings) {
    const std::string logging = environment("OPERATOR_LOGGING").value_or("info");
    const bool is_dev = logging == "dev";
    const bool is_debug = is_dev || logging == "debug";
    settings.log_form = is_dev ? Log::Form::Text : Log::Form::Json;
    settings.log_level = is_debug ? LogLevel::Debug : LogLevel::Info;
    settings.unknown_logging = is_debug || logging == "info" ? "" : logging;
}

}  // namespace

Result<tailnet::Credentials> read_credentials(const Environment& environment) {
    if (const auto id = environment("CLIENT_ID")) {
        return tailnet::workload_identity(
            *id, environment("CLIENT_TOKEN_FILE").value_or(std::string(kIdentityToken)));
    }
    const auto id_file = environment("CLIENT_ID_FILE");
    const auto secret_file = environment("CLIENT_SECRET_FILE");
    if (!id_file || !secret_file) {
        return missing(
            id_file ? "CLIENT_SECRET_FILE" : "CLIENT_ID_FILE",
            "set CLIENT_ID_FILE and CLIENT_SECRET_FILE, or CLIENT_ID for workload identity");
    }
    return tailnet::credentials_from_files(
        *id_file, *secret_file,
        fmt::format("Secret \"{}/operator-oauth\", unless another volume is mounted there",
                    environment("OPERATOR_NAMESPACE").value_or("tailscale")));
}

Result<tailnet::TailnetSettings> tailnet_at(const std::string& login_server,
                                            const Environment& environment) {
    const auto url = server_url(login_server.empty() ? kTailscaleLoginServer : login_server);
    if (!url) {
        return Error{{.rule = "invalid-variable",
                      .where = "OPERATOR_LOGIN_SERVER",
                      .message = "invalid OPERATOR_LOGIN_SERVER",
                      .found = "\"" + login_server + "\"",
                      .expected = std::string(kServerForm)}};
    }
    tailnet::TailnetSettings tailnet;
    tailnet.server = *url == kTailscaleLoginServer ? kApi : *url;
    tailnet.token_server = *url;
    tailnet.ca_file = environment("SSL_CERT_FILE").value_or("");
    return tailnet;
}

Result<kube::KubeAccess> pod_access(const Environment& environment) {
    kube::KubeAccess access;
    const auto host = environment("KUBERNETES_SERVICE_HOST");
    const auto port = environment("KUBERNETES_SERVICE_PORT");
    if (!host || !port) {
        return missing(host ? "KUBERNETES_SERVICE_PORT" : "KUBERNETES_SERVICE_HOST",
                       "run it in a pod: Kubernetes sets the variable");
    }
    const bool is_v6 = host->find(':') != std::string::npos;
    access.server = "https://" + (is_v6 ? "[" + *host + "]" : *host) + ":" + *port;
    const std::string account = environment("SERVICE_ACCOUNT_DIR").value_or(std::string(kAccount));
    access.ca_file = account + "/ca.crt";
    access.token_file = account + "/token";
    return access;
}

Result<ProcessSettings> read_settings(const Environment& environment) {
    ProcessSettings settings;
    settings.kube = TRY(pod_access(environment));

    const auto ns = environment("OPERATOR_NAMESPACE");
    if (!ns || ns->empty()) {
        return missing("OPERATOR_NAMESPACE", "set it from metadata.namespace");
    }
    settings.controller.ns = *ns;
    settings.controller.api_ns = TRY(read_api_namespace(environment));
    settings.controller.account = [file = settings.kube.token_file] {
        return account_of_token_file(file);
    };
    settings.controller.cleanup_delay = TRY(read_delay(environment));
    settings.controller.take_over_tag = TRY(read_take_over_tag(environment));
    settings.controller.ingress_class =
        environment("OPERATOR_INGRESS_CLASS_NAME").value_or(settings.controller.ingress_class);
    settings.identity = environment(renderer::variable::kPodName.data()).value_or("controller") +
                        "_" + environment(renderer::variable::kPodUid.data()).value_or("");

    auto& tailnet = settings.controller.tailnet;
    tailnet = TRY(tailnet_at(environment("OPERATOR_LOGIN_SERVER").value_or(""), environment));
    tailnet.credentials = TRY(read_credentials(environment));

    read_logging(environment, settings);
    return settings;
}

}  // namespace runtime::controller
