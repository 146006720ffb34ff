#include "runtime/api_proxy/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime::api_proxy {

using renderer::Value;

namespace {

constexpr Duration kUnsettled = std::chrono::seconds(1);
constexpr Duration kSettled = std::chrono::minutes(1);
constexpr int kConflict = 412;

// Returns true if the only connections to this port are those on which tailscaled terminates TLS,
// for any domain name. With any other way to this port, a client could write the PROXY header
// itself.
bool leads_here_alone(const Value& found, std::string_view service, const AddressPort& at) {
    const Value* led = service.empty() ? &found : found.at({"Services", service});
    const Value* port = led == nullptr ? nullptr : led->at({"TCP", "443"});
    const std::string_view domain =
        renderer::text_of(port == nullptr ? nullptr : port->at({"TerminateTLS"}));
    return !domain.empty() && *led == serve_config(domain, at) &&
           (service.empty() || (found.size() == 1 && found.find("Services")->size() == 1));
}

}  // namespace

Value serve_config(std::string_view domain, const AddressPort& at) {
    return Value::map(
        {{"TCP", Value::map({{"443", Value::map({{"TCPForward",
                                                  fmt::format("{}:{}", at.address.text(), at.port)},
                                                 {"TerminateTLS", domain},
                                                 {"ProxyProtocol", 2}})}})}});
}

Serve::Serve(Loop& loop, Log& log, localapi::LocalApi& api, Owner owner, AddressPort at,
             std::string service, std::function<void()> misled)
    : loop_(loop),
      log_(log),
      api_(api),
      owner_(std::move(owner)),
      at_(at),
      service_(std::move(service)),
      misled_(std::move(misled)) {}

Serve::~Serve() {
    loop_.cancel(timer_);
}

void Serve::note(std::string problem) {
    if (problem != problem_) {
        problem.empty() ? log_.info("tailscaled forwards port 443 of the tailnet")
                        : log_.warning("not serving: " + problem);
    }
    problem_ = std::move(problem);
}

void Serve::settle(std::string problem) {
    note(std::move(problem));
    const bool is_settled = problem_.empty() && (service_.empty() || is_advertised_ || is_ending_);
    timer_ = loop_.after(is_settled ? kSettled : kUnsettled, [this] { look(); });
}

void Serve::look() {
    auto owner = owner_();
    tailscaled_ = owner ? std::optional(*owner) : std::nullopt;
    if (!owner) {
        return settle(owner.error().diagnostic.message);
    }
    if (*owner == 0) {
        return settle(
            "tailscaled runs as root: set another runAsUser, because anyone who may forward ports "
            "into the pod also connects as root");
    }
    api_.status(lifetime_.guarded([this](const localapi::LocalReply& reply) { on_status(reply); }));
}

void Serve::on_status(const localapi::LocalReply& reply) {
    if (!reply.ok()) {
        return settle("tailscaled: " + reply.problem);
    }
    const auto status = renderer::read_json(reply.body);
    if (!status || !status->is_map()) {
        return settle("tailscaled's status is not JSON");
    }
    const std::string_view state = renderer::text_of(status->find("BackendState"));
    if (state != "Running") {
        return settle(fmt::format("tailscaled is not connected: {}", state));
    }
    if (!service_.empty()) {
        return api_.serve_config(lifetime_.guarded(
            [this](const localapi::LocalReply& config) { on_config(config, ""); }));
    }
    const auto domains = renderer::items_of(status->find("CertDomains"));
    if (domains.empty() || renderer::text_of(domains.front()).empty()) {
        return settle("the tailnet issues no certificates: enable HTTPS for the tailnet");
    }
    const std::string domain(renderer::text_of(domains.front()));
    api_.serve_config(lifetime_.guarded(
        [this, domain](const localapi::LocalReply& config) { on_config(config, domain); }));
}

void Serve::look_for_service() {
    note("");
    if (is_advertised_ || is_ending_) {
        return settle("");
    }
    api_.prefs(lifetime_.guarded([this](const localapi::LocalReply& reply) {
        const auto prefs = renderer::read_json(reply.body);
        if (is_ending_) {
            return settle("");
        }
        if (!reply.ok() || !prefs) {
            return not_advertised(reply.ok() ? "tailscaled's preferences are not JSON"
                                             : "tailscaled's preferences: " + reply.problem);
        }
        const auto names = renderer::items_of(prefs->at({"AdvertiseServices"}));
        is_advertised_ = std::any_of(names.begin(), names.end(), [this](const Value& name) {
            return renderer::text_of(name) == service_;
        });
        is_advertised_ ? settle("") : advertise();
    }));
}

void Serve::advertise() {
    if (trouble_.empty()) {
        log_.info(fmt::format("tailscaled does not advertise {}; it reads its configuration again",
                              service_));
    }
    is_reloading_ = true;
    api_.reload_config(lifetime_.guarded([this](const localapi::LocalReply& reloaded) {
        is_reloading_ = false;
        is_advertised_ = reloaded.ok();
        is_advertised_ ? settle("")
                       : not_advertised("error reloading tailscaled config: " + reloaded.problem);
        if (is_ending_) {
            ended_();
        }
    }));
}

// Logs the problem. It is not a failure, because tailscaled still serves the clients that connect.
void Serve::not_advertised(std::string trouble) {
    if (trouble != trouble_) {
        log_.error(trouble);
    }
    trouble_ = std::move(trouble);
    settle("");
}

void Serve::end(std::function<void()> ended) {
    is_ending_ = true;
    if (is_reloading_) {
        ended_ = std::move(ended);
    } else {
        ended();
    }
}

void Serve::on_config(const localapi::LocalReply& reply, const std::string& domain) {
    if (!reply.ok()) {
        return settle("tailscaled's Serve configuration: " + reply.problem);
    }
    const auto config = renderer::read_json(reply.body);
    const Value none{};
    const Value& found = config ? *config : none;
    const bool is_alone = leads_here_alone(found, service_, at_);
    if (!is_alone) {
        misled_();
    }
    if (!service_.empty()) {
        return is_alone ? look_for_service()
                        : settle(fmt::format("the Serve configuration of tailscaled must forward "
                                             "port 443 of {} to this proxy, and nothing else",
                                             service_));
    }
    const Value wanted = serve_config(domain, at_);
    if (found == wanted) {
        return settle("");
    }
    if (!is_alone && problem_.empty()) {
        note("someone else has changed tailscaled's Serve configuration");
    }
    api_.set_serve_config(
        renderer::write_json(wanted), reply.etag,
        lifetime_.guarded([this](const localapi::LocalReply& written) {
            if (written.code == kConflict) {
                return settle("someone else changes tailscaled's Serve configuration");
            }
            settle(written.ok() ? ""
                                : "tailscaled rejects the Serve configuration: " + written.problem +
                                      " (OperatorUser in its configuration must name the user of "
                                      "this process)");
        }));
}

}  // namespace runtime::api_proxy
