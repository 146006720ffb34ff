// The part of Proxy after the login: turns the reports of the bus, the files and the resolver into
// rules, Serve, and the state Secret's keys for the controller.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "renderer/contract/config_secret.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/file.h"
#include "runtime/base/prometheus.h"
#include "runtime/dns/schedule.h"
#include "runtime/proxy/go_text.h"
#include "runtime/proxy/proxy.h"

namespace runtime::proxy {

using renderer::Value;

namespace {

constexpr std::string_view kSocketFolder = "/var/run/tailscale";
constexpr std::string_view kSocketName = "/tailscaled.sock";

std::string address_list(const localapi::TailnetNode& node) {
    Value list = Value::list();
    for (const IpPrefix& prefix : node.addresses) {
        list.append(prefix.address.text());
    }
    return renderer::write_json(list);
}

std::vector<IpAddress> single_addresses(const localapi::TailnetNode& node) {
    std::vector<IpAddress> out;
    for (const IpPrefix& prefix : node.addresses) {
        if (prefix.is_one_address()) {
            out.push_back(prefix.address);
        }
    }
    return out;
}

}  // namespace

void link_socket(const Environment& environment, Log& log) {
    const std::string folder = environment.at_root(kSocketFolder);
    const std::string link = std::string(folder).append(kSocketName);
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlink(link.c_str(), target.data(), target.size());
    const bool is_there =
        size >= 0 &&
        environment.socket == std::string_view(target.data(), static_cast<std::size_t>(size));
    if (environment.socket == link || is_there) {
        return;
    }
    const bool has_folder = mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
    static_cast<void>(has_folder && unlink(link.c_str()));
    if (!has_folder || symlink(environment.socket.c_str(), link.c_str()) != 0) {
        log.warning(
            fmt::format("[warning] failed to symlink socket: {}; to interact with the "
                        "Tailscale CLI please use `tailscale --socket={}`",
                        std::strerror(errno), quote_go(environment.socket)));
    }
}

void Proxy::run() {
    if (exit_code_) {
        return;
    }
    parts_.loop.cancel(std::exchange(boot_timer_, 0));
    if (secret_ != nullptr) {
        secret_->on_written([this] { say_ready(); });
    }
    if (!config_path_.empty()) {
        config_folder_ = std::make_unique<WatchedFolder>(
            parts_.loop, parts_.log, folder_of(config_path_), [this] { take_config(); });
        take_config();
    }
    if (parts_.rules != nullptr) {
        rules_ = std::make_unique<nft::Reconciler>(parts_.loop, parts_.log, parts_.random,
                                                   *parts_.rules, [this] { publish(); });
        rule_watch_ =
            std::make_unique<nft::RuleWatch>(parts_.loop, [this] { rules_->disturbed(); });
        if (auto started = rule_watch_->start(); !started) {
            parts_.log.warning(started.error().diagnostic.message +
                               "; checking the rules every minute instead");
        }
    }
    if (parts_.lookup != nullptr) {
        destination_ = std::make_unique<dns::ResolvedName>(
            parts_.loop, parts_.log, parts_.random, *parts_.lookup, environment_.dest_dns_name,
            dns::cluster_domain_of(environment_.dest_dns_name),
            [this](const std::vector<IpAddress>& addresses) {
                destinations_ = addresses;
                look();
            });
    }
    if (parts_.kube != nullptr && environment_.in_kubernetes && !environment_.pod_name.empty()) {
        follow_objects();
    }
    if (!environment_.egress_config.empty()) {
        egress_folder_ = std::make_unique<WatchedFolder>(
            parts_.loop, parts_.log, environment_.egress_config, [this] { read_services(); });
    }
    if (!environment_.ingress_config.empty()) {
        ingress_folder_ = std::make_unique<WatchedFolder>(parts_.loop, parts_.log,
                                                          folder_of(environment_.ingress_config),
                                                          [this] { read_services(); });
    }
    read_services();
    bus_.open(!wanted_names().empty());
}

// Watches the objects that are rendered for this pod, by their rendered names. An object that does
// not exist causes no events.
void Proxy::follow_objects() {
    const Environment& e = environment_;
    const std::string group = e.pod_name.substr(0, e.pod_name.rfind('-'));
    const auto follow = [this](const renderer::Kind& kind, const std::string& name,
                               const std::vector<FollowedFiles::File>& files,
                               const std::function<void()>& changed) {
        files_.follow(*parts_.kube, kind, parts_.ns, name, files, changed);
    };
    const auto serve = [this] {
        if (serve_ != nullptr) {
            serve_->look();
        }
    };
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
    } else if (!e.serve_config.empty() && e.is_one_step() && copy_ == nullptr) {
        follow(kube::kSecrets, renderer::config_secret_name(e.pod_name),
               {{std::string(renderer::kServeDatum), e.serve_config}}, serve);
    }
}

// tailscaled reads the copy, if there is one, else the mounted file, whose whole folder the kubelet
// replaces. Does nothing while tailscaled ends: that would advertise withdrawn services again.
void Proxy::reload_config() {
    if (exit_code_) {
        return;
    }
    auto text =
        copy_ != nullptr ? renderer::Result(copy_->original_text()) : read_whole(config_path_);
    if (!text || *text == config_.text || *text == reloaded_text_) {
        return;
    }
    reloaded_text_ = *text;
    parts_.log.info("tailscaled config watch: ensuring that config is up to date");
    parts_.api.reload_config(
        lifetime_.guarded([this, text = *text](const localapi::LocalReply& reply) {
            if (reloaded_text_ == text) {
                reloaded_text_.clear();
            }
            if (!reply.ok()) {
                parts_.log.error("error reloading tailscaled config: " + reply.problem);
                return;
            }
            config_.text = text;
            parts_.log.info("tailscaled config watch: config was reloaded");
            reload_config();  // it may have changed back meanwhile
        }));
}

std::vector<std::string> Proxy::wanted_names() const {
    std::vector<std::string> names;
    if (!environment_.tailnet_target_fqdn.empty()) {
        names.push_back(environment_.tailnet_target_fqdn);
    }
    for (const auto& [name, service] : egress_) {
        if (service.target_ip.empty()) {
            names.push_back(service.target_fqdn);
        }
    }
    return names;
}

// Keeps the services that were read before if a file cannot be read.
void Proxy::read_services() {
    if (!environment_.egress_config.empty()) {
        auto text = files_.read(environment_.egress_config + "/egress-services");
        auto services =
            text ? read_egress_services(*text) : renderer::Result<EgressServices>(text.error());
        if (services) {
            egress_ = std::move(*services);
        } else {
            parts_.log.error(services.error().diagnostic.message);
        }
    }
    if (!environment_.ingress_config.empty()) {
        auto text = files_.read(environment_.ingress_config);
        auto services =
            text ? read_ingress_services(*text) : renderer::Result<IngressServices>(text.error());
        if (services) {
            ingress_ = std::move(*services);
        } else {
            parts_.log.error(services.error().diagnostic.message);
        }
    }
    if (view_.want(wanted_names()) && view_.self() != nullptr) {
        return bus_.open(true);  // the view has kept only the nodes that were wanted
    }
    look();
}

void Proxy::take(const localapi::BusMessage& message) {
    if (!message.error.empty()) {
        parts_.log.info("tailscaled IPN bus error: " + message.error);
    }
    if (message.state && *message.state != localapi::BackendState::Running) {
        return finish(1, fmt::format("tailscaled left running state (now in state \"{}\"), exiting",
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
void Proxy::refresh_names() {
    parts_.api.dns_config(lifetime_.guarded([this](const localapi::LocalReply& reply) {
        if (exit_code_) {
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
void Proxy::advertise_services() {
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

void Proxy::look() {
    const localapi::TailnetNode* self = view_.self();
    if (self == nullptr || exit_code_) {
        return;
    }
    const bool has_addresses = !self->addresses.empty();
    if (std::exchange(state_.has_addresses, has_addresses) != has_addresses) {
        parts_.log.info(fmt::format("Setting healthy {}", has_addresses));
    }
    if (may_write_ && !self->stable_id.empty()) {
        secret_->set(renderer::kDeviceId, self->stable_id);
    }
    if (rules_ != nullptr && has_addresses && !plan_rules(*self)) {
        return;
    }
    publish();
    if (environment_.serve_config.empty() || exit_code_) {
        return;
    }
    if (serve_ == nullptr) {
        serve_ = std::make_unique<Serve>(parts_.loop, parts_.api, parts_.log, parts_.random,
                                         environment_, files_, [this](const std::string& domain) {
                                             if (may_write_) {
                                                 secret_->set(renderer::kHttpsEndpoint, domain);
                                             }
                                             say_ready();
                                         });
    }
    serve_->set_domains(view_.cert_domains());
}

// Returns false if the rules need something that is not known yet; the old rules stay then.
bool Proxy::plan_rules(const localapi::TailnetNode& self) {
    ForwardingInput input;
    input.own = single_addresses(self);
    input.has_v6 = parts_.has_v6;
    input.destinations = destinations_;
    input.ingress = ingress_;
    if (!find_target(input) || !are_destinations_known()) {
        return false;
    }
    find_egress(input);
    ForwardingPlan plan = plan_forwarding(environment_, input);
    for (const std::string& warning : plan.warnings) {
        warn_once(warning);
    }
    if (!plan.failure.empty()) {
        finish(1, plan.failure);
        return false;
    }
    ensure_forwarding(plan.forwarding);
    programmed_ = std::move(plan.egress);
    is_planned_ = true;
    rules_->set(std::move(plan.forwarding));
    return true;
}

// Enables forwarding for the IP families that the environment did not show at the start: those of
// names and of services of groups.
void Proxy::ensure_forwarding(const nft::Forwarding& forwarding) {
    const nft::Families families = families_of(forwarding);
    if (environment_.userspace || (families.v4 <= forwarded_.v4 && families.v6 <= forwarded_.v6)) {
        return;
    }
    forwarded_ = families;
    if (auto enabled = nft::enable_forwarding(environment_.at_root(""), families); !enabled) {
        warn_once("Failed to enable IP forwarding: " + enabled.error().diagnostic.message);
    }
}

bool Proxy::find_target(ForwardingInput& input) {
    const std::string& name = environment_.tailnet_target_fqdn;
    if (name.empty()) {
        return true;
    }
    if (auto found = view_.resolve(name)) {
        if (targets_ != *found) {
            targets_ = std::move(*found);
            parts_.log.info(fmt::format("Installing forwarding rules for destination {}", name));
        }
    } else {
        warn_once(found.error().diagnostic.message);
    }
    input.targets = targets_;
    return !targets_.empty();
}

void Proxy::find_egress(ForwardingInput& input) {
    input.egress.services = egress_;
    for (const auto& [name, service] : egress_) {
        std::vector<IpAddress>& addresses = input.egress.addresses[name];
        if (const auto literal = IpAddress::parse(service.target_ip)) {
            addresses = {*literal};
        } else if (auto found = view_.resolve(service.target_fqdn)) {
            addresses = std::move(*found);
        } else {
            warn_once(found.error().diagnostic.message);
        }
    }
}

// Publishes the device once its rules are live: its services could not be reached before.
void Proxy::publish() {
    const localapi::TailnetNode* self = view_.self();
    if (self == nullptr || (rules_ != nullptr && !(is_planned_ && rules_->is_applied()))) {
        return;
    }
    if (may_write_ && !self->addresses.empty()) {
        secret_->set(renderer::kDeviceFqdn, self->name);
        secret_->set(renderer::kDeviceIps, address_list(*self));
        if (!environment_.egress_config.empty() &&
            (has_egress_status_ || !programmed_.services.empty())) {
            has_egress_status_ = true;
            secret_->set(renderer::kEgressStatus,
                         egress_status(programmed_, environment_.pod_ipv4, environment_.pod_ipv6));
        }
        if (!environment_.ingress_config.empty() &&
            (has_ingress_status_ || !ingress_.pairs.empty())) {
            has_ingress_status_ = true;
            secret_->set(renderer::kIngressStatus,
                         ingress_status(ingress_, environment_.pod_ipv4, environment_.pod_ipv6));
        }
    }
    is_published_ = true;
    say_ready();
}

void Proxy::say_ready() {
    if (!is_published_ || (rules_ != nullptr && may_write_ && !secret_->is_written())) {
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

void Proxy::warn_once(const std::string& warning) {
    constexpr std::size_t kMost = 1000;
    if (warned_.size() < kMost && warned_.insert(warning).second) {
        parts_.log.warning(warning);
    }
}

std::string Proxy::metrics() const {
    MetricsText out;
    out.gauge("tailrender_proxy_ready", "Whether the configuration found at start is applied.",
              state_.not_ready.empty() ? 1 : 0);
    out.gauge("tailrender_proxy_rules_applied", "Whether the kernel has the rules that are wanted.",
              rules_ == nullptr || rules_->is_applied() ? 1 : 0);
    return out.text();
}

}  // namespace runtime::proxy
