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

}  // namespace

Value serve_config(std::string_view domain, const AddressPort& at) {
    return Value::map(
        {{"TCP", Value::map({{"443", Value::map({{"TCPForward",
                                                  fmt::format("{}:{}", at.address.text(), at.port)},
                                                 {"TerminateTLS", domain},
                                                 {"ProxyProtocol", 2}})}})}});
}

Serve::Serve(Loop& loop, Log& log, LocalApi& api, Owner owner, AddressPort at, std::string service)
    : loop_(loop),
      log_(log),
      api_(api),
      owner_(std::move(owner)),
      at_(at),
      service_(std::move(service)) {}

Serve::~Serve() {
    loop_.cancel(timer_);
}

void Serve::settle(std::string problem) {
    if (problem != problem_) {
        problem.empty() ? log_.info("tailscaled forwards port 443 of the tailnet")
                        : log_.warning("not serving: " + problem);
    }
    problem_ = std::move(problem);
    timer_ = loop_.after(problem_.empty() ? kSettled : kUnsettled, [this] { look(); });
}

void Serve::look() {
    auto owner = owner_();
    tailscaled_ = owner ? std::optional(*owner) : std::nullopt;
    if (!owner) {
        return settle(owner.error().diagnostic.message);
    }
    if (*owner == 0) {
        return settle(
            "tailscaled runs as root; it needs a user of its own, since whoever may forward "
            "ports into the pod comes as root, too");
    }
    api_.status(guarded([this](const LocalReply& reply) { on_status(reply); }));
}

void Serve::on_status(const LocalReply& reply) {
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
        return api_.serve_config(
            guarded([this](const LocalReply& config) { on_config(config, ""); }));
    }
    const auto domains = renderer::items_of(status->find("CertDomains"));
    if (domains.empty() || renderer::text_of(domains.front()).empty()) {
        return settle("the tailnet gives no certificates; enable HTTPS for it");
    }
    const std::string domain(renderer::text_of(domains.front()));
    api_.serve_config(
        guarded([this, domain](const LocalReply& config) { on_config(config, domain); }));
}

// Under whatever name: tailscaled ends TLS of it, or of none.
std::string Serve::problem_with_service(const Value& config) const {
    const Value* port = config.at({"Services", service_, "TCP", "443"});
    const std::string_view domain =
        renderer::text_of(port == nullptr ? nullptr : port->at({"TerminateTLS"}));
    const Value wanted = serve_config(domain, at_);
    if (!domain.empty() && *port == *wanted.at({"TCP", "443"})) {
        return "";
    }
    return fmt::format("tailscaled does not lead port 443 of {} here", service_);
}

void Serve::advertise() {
    if (!problem_.empty() || is_advertised_ || is_ending_) {
        return;
    }
    api_.prefs(guarded([this](const LocalReply& reply) {
        const auto prefs = renderer::read_json(reply.body);
        if (!reply.ok() || !prefs || is_ending_) {
            return;
        }
        const auto names = renderer::items_of(prefs->at({"AdvertiseServices"}));
        is_advertised_ = std::any_of(names.begin(), names.end(), [this](const Value& name) {
            return renderer::text_of(name) == service_;
        });
        if (is_advertised_) {
            return;
        }
        log_.info(fmt::format("tailscaled does not advertise {}; it reads its configuration again",
                              service_));
        api_.reload_config(guarded([this](const LocalReply& reloaded) {
            is_advertised_ = reloaded.ok();
            if (!reloaded.ok()) {
                log_.error("error reloading tailscaled config: " + reloaded.problem);
            }
        }));
    }));
}

void Serve::on_config(const LocalReply& reply, const std::string& domain) {
    if (!reply.ok()) {
        return settle("tailscaled's Serve configuration: " + reply.problem);
    }
    const auto found = renderer::read_json(reply.body);
    if (!service_.empty()) {
        const Value none{};
        settle(problem_with_service(found ? *found : none));
        return advertise();
    }
    const Value wanted = serve_config(domain, at_);
    if (found && *found == wanted) {
        return settle("");
    }
    api_.set_serve_config(
        renderer::write_json(wanted), reply.etag, guarded([this](const LocalReply& written) {
            if (written.code == kConflict) {
                return settle("someone else changes tailscaled's Serve configuration");
            }
            settle(written.ok()
                       ? ""
                       : "tailscaled does not take the Serve configuration: " + written.problem +
                             " (OperatorUser in its configuration names our user)");
        }));
}

}  // namespace runtime::api_proxy
