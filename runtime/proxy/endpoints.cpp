#include "runtime/proxy/endpoints.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/proxy/config_file.h"

namespace runtime::proxy {

namespace {

constexpr std::string_view kHealth = "/healthz";

renderer::Error cannot_listen(const std::string& at, const std::string& problem) {
    return {{.rule = "cannot-listen",
             .where = at,
             .message = fmt::format("failed to listen on addr \"{}\": {}", at, problem)}};
}

}  // namespace

std::string ready_socket(const Environment& environment) {
    const std::size_t slash = environment.socket.rfind('/');
    return (slash == std::string::npos ? std::string() : environment.socket.substr(0, slash + 1)) +
           "tailrender-proxy.sock";
}

Endpoints::Endpoints(AsioLoop& loop, Log& log, localapi::LocalApi& api, Transport& transport,
                     const Environment& environment, const FollowedFiles& files,
                     const EndpointState& state)
    : loop_(loop),
      log_(log),
      api_(api),
      transport_(transport),
      environment_(environment),
      files_(files),
      state_(state),
      drain_(loop, transport, log, {environment.pod_ipv4, environment.pod_ipv6}) {}

renderer::Result<renderer::Unit> Endpoints::start() {
    const Environment& e = environment_;
    if (e.separate_health) {
        log_.info(
            fmt::format("Running healthcheck endpoint at {}/healthz", e.separate_health_text));
        separate_health_ = std::make_unique<HttpServer>(loop_, [this](std::string_view path) {
            return path == kHealth ? health() : Page{404, "not found\n"};
        });
        if (auto port = separate_health_->listen(*e.separate_health); !port) {
            return cannot_listen(e.separate_health_text, port.error().diagnostic.message);
        }
    }
    if (e.local) {
        for (const auto& [is_on, what, path] :
             {std::tuple(e.metrics, "metrics endpoint", std::string_view("/metrics")),
              std::tuple(e.health, "healthcheck endpoint", kHealth),
              std::tuple(!e.egress_config.empty(), "egress preshutdown hook", kPreShutdown)}) {
            if (is_on) {
                log_.info(fmt::format("Running {} at {}{}", what, e.local_text, path));
            }
        }
        local_ = std::make_unique<HttpServer>(
            loop_, [this](std::string_view path, const PageReply& reply) { answer(path, reply); });
        if (auto port = local_->listen(*e.local); !port) {
            return cannot_listen(e.local_text, port.error().diagnostic.message);
        }
    }
    ready_ = std::make_unique<HttpServer>(loop_, [this](std::string_view) {
        return state_.not_ready.empty() ? Page{200, "ready\n"} : Page{503, state_.not_ready + "\n"};
    });
    if (auto listening = ready_->listen_at(ready_socket(e)); !listening) {
        log_.warning(listening.error().diagnostic.message + "; exec probes will fail");
    }
    return renderer::Unit{};
}

void Endpoints::stop() {
    ready_ = nullptr;
    if (std::exchange(separate_health_, nullptr) != nullptr) {
        log_.info(fmt::format("HTTP server at {} closed", environment_.separate_health_text));
    }
    if (std::exchange(local_, nullptr) != nullptr) {
        log_.info(fmt::format("HTTP server at {} closed", environment_.local_text));
    }
}

void Endpoints::answer(std::string_view path, const PageReply& reply) {
    const Environment& e = environment_;
    if (path == kHealth && e.health) {
        return reply(health());
    }
    if (path == "/metrics" && e.metrics) {
        return answer_metrics(reply);
    }
    if (path.starts_with("/debug/") && e.metrics && !e.debug.empty()) {
        return answer_debug(path, reply);
    }
    if (path == kPreShutdown && !e.egress_config.empty()) {
        return answer_preshutdown(reply);
    }
    reply({404, "not found\n"});
}

Page Endpoints::health() const {
    if (!state_.has_addresses) {
        return {503, "node currently has no tailscale IPs\n"};
    }
    Page page{200, "ok"};
    if (!environment_.pod_ipv4.empty()) {
        page.headers.push_back("Pod-IPv4: " + environment_.pod_ipv4);
    }
    if (!environment_.pod_ipv6.empty()) {
        page.headers.push_back("Pod-IPv6: " + environment_.pod_ipv6);
    }
    return page;
}

void Endpoints::answer_metrics(const PageReply& reply) {
    api_.user_metrics([reply, metrics = state_.metrics](const localapi::LocalReply& got) {
        if (!got.ok()) {
            return reply({got.code == 0 ? 502 : got.code, got.problem + "\n"});
        }
        reply({200, got.body + metrics()});
    });
}

void Endpoints::answer_debug(std::string_view path, const PageReply& reply) {
    transport_.send(
        {.url = fmt::format("http://{}{}", environment_.debug, path)},
        [reply](const HttpReply& got) {
            if (got.status == 0) {
                return reply({502, got.problem + "\n"});
            }
            const std::string_view type = header_of(got, "content-type");
            Page page{got.status, got.body};
            if (!type.empty()) {
                page.headers.push_back(fmt::format("Content-Type: {}", type));
            }
            reply(std::move(page));
        },
        nullptr);
}

void Endpoints::answer_preshutdown(const PageReply& reply) {
    const std::string& folder = environment_.egress_config;
    auto text = files_.read(folder + "/egress-services");
    auto pings = files_.read(folder + "/hep-pings");
    if (!text || !pings) {
        return reply({500, (text ? pings : text).error().diagnostic.message + "\n"});
    }
    auto services = read_egress_services(*text);
    if (!services) {
        return reply({500, services.error().diagnostic.message + "\n"});
    }
    auto count = read_pings(*pings);
    if (!count) {
        return reply({500, count.error().diagnostic.message + "\n"});
    }
    if (!state_.is_started || services->empty()) {
        return reply({200, "safe to terminate"});
    }
    drain_.wait(*services, *count, [reply] { reply({200, {}}); });
}

}  // namespace runtime::proxy
