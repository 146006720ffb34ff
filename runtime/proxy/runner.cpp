#include "runtime/proxy/runner.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/config_secret.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime::proxy {

using renderer::Value;

namespace {

std::string address_list(const localapi::TailnetNode& node) {
    Value list = Value::list();
    for (const IpPrefix& prefix : node.addresses) {
        list.append(prefix.address.text());
    }
    return renderer::write_json(list);
}

}  // namespace

Runner::Runner(const ProxyParts& parts, const Environment& environment, FollowedFiles& files,
               ConfigFollower& config, OwnStateSecret* secret, EndpointState& state,
               std::function<void(const std::string&)> failed)
    : parts_(parts),
      environment_(environment),
      files_(files),
      config_(config),
      secret_(secret),
      state_(state),
      failed_(std::move(failed)),
      bus_(parts.loop, parts.api, parts.random, view_,
           {.on_message = [this](const localapi::BusMessage& message) { take(message); },
            .on_trouble =
                [this](const std::string& problem) {
                    parts_.log.info("IPN bus watch ended; reconnecting: " + problem);
                },
            .on_failure =
                [this](const std::string& problem) {
                    failed_("reading tailscaled IPN bus: " + problem);
                }}),
      groups_(parts.loop, parts.log, environment, files) {}

void Runner::start() {
    if (secret_ != nullptr) {
        secret_->on_written([this] { say_ready(); });
    }
    config_.run();
    if (parts_.rules != nullptr) {
        forwarding_ = std::make_unique<LiveForwarding>(
            LiveForwarding::Peers{.loop = parts_.loop,
                                  .log = parts_.log,
                                  .random = parts_.random,
                                  .rules = *parts_.rules,
                                  .lookup = parts_.lookup,
                                  .has_v6 = parts_.has_v6},
            environment_, view_, groups_,
            LiveForwarding::Listener{.on_applied = [this] { publish(); },
                                     .on_addresses = [this] { look(); }});
    }
    if (parts_.kube != nullptr && environment_.in_kubernetes && !environment_.pod_name.empty()) {
        follow_objects();
    }
    groups_.watch([this] { read_services(); });
    read_services();
    bus_.open(!wanted_names().empty());
}

void Runner::stop() {
    is_over_ = true;
    bus_.close();
    serve_ = nullptr;
}

void Runner::look_at_serve() {
    if (serve_ != nullptr) {
        serve_->look();
    }
}

// Watches the objects that are rendered for this pod, by their rendered names. An object that does
// not exist causes no events.
void Runner::follow_objects() {
    const Environment& e = environment_;
    const std::string group = e.pod_name.substr(0, e.pod_name.rfind('-'));
    const auto follow = [this](const renderer::Kind& kind, const std::string& name,
                               const std::vector<FollowedFiles::File>& files,
                               const std::function<void()>& changed) {
        files_.follow(*parts_.kube, kind, parts_.ns, name, files, changed);
    };
    const auto serve = [this] { look_at_serve(); };
    if (!e.egress_config.empty()) {
        follow(kube::kConfigMaps, renderer::egress_config_name(group),
               {{std::string(renderer::kEgressDatum),
                 fmt::format("{}/{}", e.egress_config, renderer::kEgressDatum)},
                {std::string(renderer::kPingsDatum),
                 fmt::format("{}/{}", e.egress_config, renderer::kPingsDatum)}},
               [this] { read_services(); });
    }
    if (!e.ingress_config.empty()) {
        follow(kube::kConfigMaps, std::string(renderer::kIngressAddresses),
               {{group + ".json", e.ingress_config}}, [this] { read_services(); });
        follow(kube::kConfigMaps, renderer::ingress_config_name(group),
               {{std::string(renderer::kGroupServeDatum), e.serve_config}}, serve);
    } else if (!e.serve_config.empty() && e.is_one_step() && !config_.is_copied()) {
        follow(kube::kSecrets, renderer::config_secret_name(e.pod_name),
               {{std::string(renderer::kServeDatum), e.serve_config}}, serve);
    }
}

std::vector<std::string> Runner::wanted_names() const {
    std::vector<std::string> names;
    if (!environment_.tailnet_target_fqdn.empty()) {
        names.push_back(environment_.tailnet_target_fqdn);
    }
    for (const auto& [name, service] : groups_.egress()) {
        if (service.target_ip.empty()) {
            names.push_back(service.target_fqdn);
        }
    }
    return names;
}

void Runner::read_services() {
    groups_.read();
    if (view_.want(wanted_names()) && view_.self() != nullptr) {
        return bus_.open(true);  // the view has kept only the nodes that were wanted
    }
    look();
}

void Runner::take(const localapi::BusMessage& message) {
    if (!message.error.empty()) {
        parts_.log.info("tailscaled IPN bus error: " + message.error);
    }
    if (message.state && *message.state != localapi::BackendState::Running) {
        return failed_(fmt::format("tailscaled left running state (now in state \"{}\"), exiting",
                                   localapi::name_of(*message.state)));
    }
    if (message.has_self && !message.is_snapshot) {
        refresh_names();
    }
    if (message.is_snapshot && environment_.auto_advertise && environment_.serve_config.empty()) {
        advertise_services();
    }
    if (message.is_snapshot || message.has_self || message.has_peers) {
        look();
    }
}

// Reads the names of the tailnet again. The bus does not report when they change, but the device
// changes with them.
void Runner::refresh_names() {
    parts_.api.dns_config(lifetime_.guarded([this](const localapi::LocalReply& reply) {
        if (is_over_) {
            return;
        }
        const auto dns = renderer::read_json(reply.body);
        if (!reply.ok() || !dns || !dns->is_map()) {
            parts_.log.info("error refreshing DNS config from tailscaled: " + reply.problem);
            return;
        }
        view_.clear_names();
        for (const Value& domain : renderer::items_of(dns->find("CertDomains"))) {
            view_.add_cert_domain(renderer::text_of(domain));
        }
        for (const Value& record : renderer::items_of(dns->find("ExtraRecords"))) {
            view_.add_record(renderer::text_of(record, {"Name"}),
                             renderer::text_of(record, {"Value"}));
        }
        look();
    }));
}

// Advertises the services of a serve config that another program has set.
void Runner::advertise_services() {
    parts_.api.serve_config(lifetime_.guarded([this](const localapi::LocalReply& reply) {
        if (!reply.ok() || reply.body.empty()) {
            return;
        }
        auto config = read_serve_config(reply.body, {});
        if (!config || config->services.empty() || config->services == advertised_) {
            return;
        }
        advertised_ = config->services;
        const Value masked = Value::map({{"AdvertiseServicesSet", true},
                                         {"AdvertiseServices", renderer::text_list(advertised_)}});
        parts_.api.edit_prefs(masked, [&log = parts_.log](const localapi::LocalReply& edited) {
            if (!edited.ok()) {
                log.error("error refreshing advertised services: " + edited.problem);
            }
        });
    }));
}

void Runner::look() {
    const localapi::TailnetNode* self = view_.self();
    if (self == nullptr || is_over_) {
        return;
    }
    const bool has_addresses = !self->addresses.empty();
    if (std::exchange(state_.has_addresses, has_addresses) != has_addresses) {
        parts_.log.info(fmt::format("Setting healthy {}", has_addresses));
    }
    if (secret_ != nullptr && !self->stable_id.empty()) {
        secret_->set(renderer::kDeviceId, self->stable_id);
    }
    if (forwarding_ != nullptr && has_addresses) {
        const LiveForwarding::Planned planned = forwarding_->plan(*self);
        if (planned == LiveForwarding::Planned::Failed) {
            return failed_(forwarding_->failure());
        }
        if (planned == LiveForwarding::Planned::Unknown) {
            return;
        }
    }
    publish();
    if (environment_.serve_config.empty() || is_over_) {
        return;
    }
    if (serve_ == nullptr) {
        serve_ = std::make_unique<Serve>(parts_.loop, parts_.api, parts_.log, parts_.random,
                                         environment_, files_, [this](const std::string& domain) {
                                             if (secret_ != nullptr) {
                                                 secret_->set(renderer::kHttpsEndpoint, domain);
                                             }
                                             say_ready();
                                         });
    }
    serve_->set_domains(view_.cert_domains());
}

// Publishes the device once its rules are live: its services could not be reached before.
void Runner::publish() {
    const localapi::TailnetNode* self = view_.self();
    if (self == nullptr || (forwarding_ != nullptr && !forwarding_->is_live())) {
        return;
    }
    if (secret_ != nullptr && !self->addresses.empty()) {
        secret_->set(renderer::kDeviceFqdn, self->name);
        secret_->set(renderer::kDeviceIps, address_list(*self));
        const EgressTargets none;
        const EgressTargets& programmed = forwarding_ != nullptr ? forwarding_->programmed() : none;
        if (!environment_.egress_config.empty() &&
            (has_egress_status_ || !programmed.services.empty())) {
            has_egress_status_ = true;
            secret_->set(renderer::kEgressStatus,
                         egress_status(programmed, environment_.pod_ipv4, environment_.pod_ipv6));
        }
        if (!environment_.ingress_config.empty() &&
            (has_ingress_status_ || !groups_.ingress().pairs.empty())) {
            has_ingress_status_ = true;
            secret_->set(
                renderer::kIngressStatus,
                ingress_status(groups_.ingress(), environment_.pod_ipv4, environment_.pod_ipv6));
        }
    }
    is_published_ = true;
    say_ready();
}

void Runner::say_ready() {
    if (!is_published_ ||
        (forwarding_ != nullptr && secret_ != nullptr && !secret_->is_written())) {
        return;
    }
    if (!std::exchange(is_started_, true)) {
        state_.is_started = true;
        parts_.log.info("Startup complete, waiting for shutdown signal");
    }
    const bool serves =
        environment_.serve_config.empty() || (serve_ != nullptr && serve_->is_settled());
    state_.not_ready = !state_.not_ready.empty() && !serves ? "the serve config is not applied yet"
                                                            : std::string();
}

}  // namespace runtime::proxy
