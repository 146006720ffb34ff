#include "renderer/plan/workload/api_proxy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/settings/settings_decoder.h"
#include "renderer/plan/tags.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kApiProxyRule = "api-proxy: apiServerProxyConfig.mode";
constexpr std::string_view kApiProxyAdvice = "set another \"operatorConfig.hostname\"";
constexpr std::string_view kDefaultHostname = "tailscale-operator";
constexpr std::string_view kOperatorTag = "tag:k8s-operator";
constexpr std::string_view kCapability =
    R"("app": {"tailscale.com/cap/kubernetes": [{"impersonate": {"groups": ["system:masters"]}}]})";

// Where the values say so, else where they switch the proxy on.
Pos place_of(const Settings& settings, std::string_view key, Pos mode) {
    const Pos pos = pos_at(settings.chart, {"operatorConfig", key});
    return pos.known() ? pos : mode;
}

void name_host(const Settings& settings, Workload& made, Diagnostics& diagnostics) {
    made.hostname_pos = place_of(settings, "hostname", made.origin.pos);
    made.hostname_advice = kApiProxyAdvice;
    made.hostnames = {
        checked_hostname(made.origin,
                         {text_at(settings.chart, {"operatorConfig", "hostname"}, kDefaultHostname),
                          made.hostname_pos},
                         kApiProxyAdvice, settings, diagnostics)};
}

void choose_tags(const Settings& settings, Workload& made, Diagnostics& diagnostics) {
    std::vector<std::string> tags = settings.operator_tags;
    for (const std::string& tag : tags) {
        if (const std::string_view wrong = tag_error(tag); !wrong.empty()) {
            diagnostics
                .error("invalid-tag", place_of(settings, "defaultTags", made.origin.pos),
                       fmt::format("\"operatorConfig.defaultTags\": {}", wrong))
                .found(fmt::format("\"{}\"", tag))
                .expected("tags such as \"tag:k8s-operator\", separated by commas");
        }
    }
    if (tags.empty()) {
        tags.emplace_back(kOperatorTag);
    }
    made.tags = device_tags(std::move(tags), settings);
}

void claim_names(const Settings& settings, Workload& made) {
    made.claim({"Role", "RoleBinding", "StatefulSet"}, made.name);
    if (made.makes_account) {
        made.claim({"ServiceAccount"}, made.account);
    }
    if (made.ns != settings.ns) {
        made.claim({"Role", "RoleBinding"}, settings.names.name);
        made.claim({"Secret"}, made.pod(0));
        made.claim({"Secret"}, auth_secret_name(made.pod(0)));
    }
}

}  // namespace

std::optional<Workload> plan_api_proxy(const Settings& settings, Diagnostics& diagnostics) {
    const Value* mode = settings.chart.at({"apiServerProxyConfig", "mode"});
    const bool impersonates = spelling_of(mode) == "true";
    if (!impersonates && spelling_of(mode) != "noauth") {
        return std::nullopt;
    }
    Workload made;
    made.origin = {mode->pos(), object_name("Deployment", settings.ns, settings.names.name),
                   kApiProxyRule};
    made.release = settings.release;
    made.generator = "api-proxy";
    made.name = kApiProxyName;
    made.ns = impersonates ? settings.api_ns : settings.ns;
    made.account = impersonates ? kAuthProxyAccount : kApiProxyName;
    made.makes_account = !impersonates;
    made.parent_ns = settings.ns;
    made.parent_name = settings.names.name;
    made.add_parent_labels(true);
    claim_names(settings, made);
    name_host(settings, made, diagnostics);
    choose_tags(settings, made, diagnostics);
    made.server_url = settings.login_server;
    made.target_text = "Kubernetes API";
    run_native(settings, made);
    made.volumes = {kConfigVolume, kAuthVolume};
    made.feature = ApiProxyPlan{impersonates, settings.api_unrecorded};
    return made;
}

std::string api_proxy_policy(const std::vector<std::string>& tags, const Settings& settings,
                             bool impersonates, std::string_view service) {
    std::vector<std::string> minters = settings.operator_tags;
    if (minters.empty()) {
        minters.emplace_back(kOperatorTag);
    }
    std::string owners;
    for (const std::string& tag : tags) {
        const bool is_theirs = std::ranges::find(minters, tag) != minters.end();
        owners += fmt::format("{}\"{}\": [{}]", owners.empty() ? "" : ", ", tag,
                              is_theirs ? "" : fmt::format("\"{}\"", fmt::join(minters, "\", \"")));
    }
    std::string policy = fmt::format("\"tagOwners\": {{{}}},\n", owners);
    const std::string_view port = R"("ip": ["tcp:443"])";
    std::string grants;
    const auto grant = [&grants](std::string_view to, std::string_view what) {
        grants += fmt::format("{}{{\"src\": [\"autogroup:admin\"], \"dst\": [\"{}\"], {}}}",
                              grants.empty() ? "" : ",\n  ", to, what);
    };
    if (service.empty()) {
        grant(tags.front(), impersonates ? fmt::format("{}, {}", port, kCapability) : port);
    } else {
        policy += fmt::format("\"autoApprovers\": {{\"services\": {{\"{}\": [\"{}\"]}}}},\n",
                              service, tags.front());
        grant(service, port);
        if (impersonates) {
            grant(tags.front(), kCapability);
        }
    }
    return policy + fmt::format("\"grants\": [{}]", grants);
}

}  // namespace renderer::plan
