#include "runtime/controller/object_status/tailnet_status.h"

#include <fmt/format.h>

#include "renderer/contract/tailnet_config.h"
#include "renderer/kube/kinds.h"

namespace runtime::controller {

namespace {

constexpr Duration kRetry = std::chrono::minutes(1);
constexpr Duration kRecheck = std::chrono::hours(1);

}  // namespace

void TailnetStatus::reconcile(const Changes& /*changes*/) {
    for (const auto& [name, tailnet] : context_.parents.all("Tailnet")) {
        const std::string config_map = fmt::format("{}{}", renderer::kTailnetPrefix, name);
        const renderer::TailnetConfig* config =
            context_.view.tailnet_configs().find(context_.view.key(config_map));
        if (config == nullptr) {
            probes_.erase(name);
            write(tailnet, "NotRendered", fmt::format("ConfigMap \"{}\" is missing", config_map));
            continue;
        }
        probe(*config);
        const Probe& known = probes_[name];
        if (known.is_good) {
            write(tailnet, "TailnetValid", {});
        } else if (!known.problem.empty()) {
            write(tailnet, known.lacks_credentials ? "InvalidSecret" : "InvalidOAuth",
                  known.problem);
        }
    }
}

void TailnetStatus::probe(const renderer::TailnetConfig& config) {
    Probe& probe = probes_[config.name];
    if (!(probe.config == config)) {
        probe = {};
        probe.config = config;
    }
    if (probe.busy || context_.loop.uptime() < probe.not_before) {
        return;
    }
    tailnet::Api* api = context_.tailnets.find(config.name, probe.problem);
    if (api == nullptr) {
        return;
    }
    probe.busy = true;
    api->list_keys([this, config](const tailnet::Reply& reply) {
        Probe& asked = probes_[config.name];
        if (!(asked.config == config)) {
            return;  // a newer request is in progress
        }
        asked.busy = false;
        asked.is_good = reply.ok();
        asked.problem = reply.message;
        asked.lacks_credentials = reply.lacks_credentials;
        asked.not_before = context_.loop.uptime() + (reply.ok() ? kRecheck : kRetry);
        context_.view.changed();
    });
}

void TailnetStatus::write(const Parent& tailnet, std::string_view reason,
                          const std::string& problem) {
    StatusChange change;
    change.conditions.push_back({.type = std::string(renderer::kind_of("Tailnet").role.condition),
                                 .is_true = problem.empty(),
                                 .reason = std::string(reason),
                                 .message = problem.empty() ? std::string(reason) : problem});
    context_.status.write(tailnet, std::move(change));
}

}  // namespace runtime::controller
