#include "runtime/proxy/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/state_secret.h"
#include "renderer/core/value.h"
#include "runtime/base/file.h"
#include "runtime/proxy/config_file.h"

namespace runtime::proxy {

Serve::Serve(Loop& loop, localapi::LocalApi& api, Log& log, RandomSource& random,
             const Environment& environment, const FollowedFiles& files,
             std::function<void(const std::string&)> applied)
    : loop_(loop),
      api_(api),
      log_(log),
      environment_(environment),
      files_(files),
      on_applied_(std::move(applied)),
      backoff_(random, std::chrono::seconds(1), std::chrono::minutes(1)) {
    if (environment.cert_share == CertShare::ReadWrite) {
        certificates_ = std::make_unique<Certificates>(loop, api, log);
    }
}

Serve::~Serve() {
    loop_.cancel(timer_);
}

void Serve::set_domains(const std::vector<std::string>& domains) {
    if (certificates_ != nullptr) {
        certificates_->allow(domains);
    }
    const std::string domain(domains.empty() ? renderer::kNoHttps
                                             : std::string_view(domains.front()));
    if (folder_ == nullptr) {
        folder_ = std::make_unique<WatchedFolder>(loop_, log_, folder_of(environment_.serve_config),
                                                  [this] { look(); });
    } else if (domain == domain_) {
        return;
    }
    domain_ = domain;
    look();
}

void Serve::look() {
    if (is_busy_) {
        is_behind_ = true;
        return;
    }
    loop_.cancel(std::exchange(timer_, 0));
    auto text = files_.read(environment_.serve_config);
    if (!text) {
        return retry("serve proxy: failed to read serve config: " +
                     text.error().diagnostic.message);
    }
    if (text->empty()) {
        log_.info(fmt::format("serve proxy: no serve config at \"{}\", skipping",
                              environment_.serve_config));
        is_settled_ = true;
        return;
    }
    auto config = read_serve_config(*text, domain_);
    if (!config) {
        return retry(config.error().diagnostic.message);
    }
    if (applied_ != config->text) {
        apply(std::move(*config));
    }
}

void Serve::retry(const std::string& problem) {
    log_.error(problem);
    timer_ = loop_.after(backoff_.next(), [this] {
        timer_ = 0;
        look();
    });
}

void Serve::apply(ServeConfig config) {
    is_busy_ = true;
    if (domain_ == renderer::kNoHttps && config.has_https) {
        log_.warning(
            "serve proxy: this node is configured as a proxy that exposes an HTTPS endpoint to "
            "tailnet, (perhaps a Kubernetes operator Ingress proxy) but it is not able to issue "
            "TLS "
            "certs, so this will likely not work. To make it work, ensure that HTTPS is enabled "
            "for your tailnet, see https://tailscale.com/kb/1153/enabling-https for more details.");
        return finish(config);
    }
    api_.serve_config(
        lifetime_.guarded([this, config = std::move(config)](const localapi::LocalReply& reply) {
            if (!reply.ok()) {
                is_busy_ = is_behind_ = false;
                return retry("serve proxy: failed to get serve config: " + reply.problem);
            }
            put(config, reply.etag);
        }));
}

void Serve::put(const ServeConfig& config, const std::string& etag) {
    log_.info("serve proxy: applying serve config");
    api_.set_serve_config(
        config.text, etag, lifetime_.guarded([this, config](const localapi::LocalReply& reply) {
            if (!reply.ok()) {  // 412: someone else wrote it meanwhile
                is_busy_ = is_behind_ = false;
                return retry("serve proxy: error updating serve config: " + reply.problem);
            }
            finish(config);
        }));
}

void Serve::finish(const ServeConfig& config) {
    is_busy_ = false;
    backoff_.reset();
    applied_ = config.text;
    is_settled_ = true;
    if (certificates_ != nullptr) {
        certificates_->keep(config.domains);
    }
    if (environment_.auto_advertise && !config.services.empty()) {
        const auto masked =
            renderer::Value::map({{"AdvertiseServicesSet", true},
                                  {"AdvertiseServices", renderer::text_list(config.services)}});
        api_.edit_prefs(masked, [&log = log_](const localapi::LocalReply& reply) {
            if (!reply.ok()) {
                log.error("error refreshing advertised services: " + reply.problem);
            }
        });
    }
    on_applied_(domain_);
    if (std::exchange(is_behind_, false)) {
        look();
    }
}

}  // namespace runtime::proxy
