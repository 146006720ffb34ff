#include "runtime/proxy/proxy.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/state_secret.h"
#include "runtime/base/prometheus.h"
#include "runtime/proxy/go_text.h"

namespace runtime::proxy {

namespace {

constexpr std::string_view kSocketFolder = "/var/run/tailscale";
constexpr std::string_view kSocketName = "/tailscaled.sock";

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

Proxy::Proxy(const ProxyParts& parts, Environment environment, std::string config_path,
             TailscaledConfig config)
    : parts_(parts),
      environment_(std::move(environment)),
      files_(parts.loop, parts.log, parts.random),
      config_({.loop = parts.loop,
               .log = parts.log,
               .api = parts.api,
               .kube = parts.kube,
               .ns = parts.ns},
              environment_, files_, std::move(config_path), std::move(config),
              [this] {
                  if (login_ != nullptr) {
                      login_->look_for_key();
                  }
                  if (runner_ != nullptr) {
                      runner_->look_at_serve();
                  }
              }),
      endpoints_(parts.loop, parts.log, parts.api, parts.network, environment_, files_, state_),
      children_(parts.loop),
      tailscaled_(parts.loop, children_, parts.api, parts.log, environment_,
                  {.on_socket = [this] { log_in(); },
                   .on_end =
                       [this](const Ending& ending) {
                           if (shutdown_ != nullptr) {
                               return finish(0, {});
                           }
                           finish(1, "tailscaled exited: " + ending.text());
                       }}) {
    state_.metrics = [this] { return metrics(); };
}

Proxy::~Proxy() {
    parts_.loop.cancel(boot_timer_);
}

void Proxy::start(std::function<void(int)> over) {
    over_ = std::move(over);
    for (const std::string& note : environment_.notes) {
        parts_.log.info(note);
    }
    if (auto started = children_.start(); !started) {
        return finish(1, started.error().diagnostic.message);
    }
    boot_timer_ = parts_.loop.after(environment_.boot_timeout, [this] {
        if (login_ == nullptr || !login_->is_waiting_for_key()) {
            finish(1, fmt::format("tailscaled was not running within {} s",
                                  std::chrono::duration_cast<std::chrono::seconds>(
                                      environment_.boot_timeout)
                                      .count()));
        }
    });
    if (parts_.kube == nullptr) {
        return start_tailscaled();
    }
    secret_ = std::make_unique<OwnStateSecret>(parts_.loop, *parts_.kube, parts_.log, parts_.random,
                                               parts_.ns, environment_.kube_secret);
    secret_->ask_rights([this](const OwnStateSecret::Rights& rights) { check_rights(rights); });
}

void Proxy::check_rights(const OwnStateSecret::Rights& rights) {
    constexpr std::string_view kWhile = "error setting up for running on Kubernetes: ";
    if (!rights.problem.empty()) {
        return finish(1, fmt::format("{}some Kubernetes permissions are missing, please check your "
                                     "RBAC configuration: {}",
                                     kWhile, rights.problem));
    }
    may_write_ = environment_.in_kubernetes && rights.patch;
    secret_->read([this, rights, kWhile](const OwnStateSecret::Content& content) {
        const std::string& name = environment_.kube_secret;
        if (!content.problem.empty()) {
            return finish(1, fmt::format("{}getting Tailscale state Secret {}: {}", kWhile, name,
                                         content.problem));
        }
        if (!content.exists && !rights.create) {
            return finish(
                1,
                fmt::format("{}tailscale state Secret {} does not exist and we don't have "
                            "permissions to create it. If you intend to store tailscale state "
                            "elsewhere than a Kubernetes Secret, you can explicitly set "
                            "TS_KUBE_SECRET env var to an empty string. Else ensure that RBAC is "
                            "set up that allows the service account associated with this "
                            "installation to create Secrets.",
                            kWhile, name));
        }
        take_state(content);
    });
}

void Proxy::take_state(const OwnStateSecret::Content& content) {
    Environment& e = environment_;
    if (e.auth_key.empty() && e.client_id.empty() && e.client_secret.empty() && !e.is_one_step()) {
        const auto key = content.data.find(renderer::kAuthDatum);
        if (key != content.data.end() && !key->second.empty()) {
            if (!may_write_) {
                return finish(1,
                              "error setting up for running on Kubernetes: authkey found in "
                              "TS_KUBE_SECRET, but the pod doesn't have patch permissions on the "
                              "Secret to manage the authkey.");
            }
            e.auth_key = key->second;
        } else {
            parts_.log.info(
                "No authkey found in state Secret and TS_AUTHKEY not provided, login will be "
                "interactive if needed.");
        }
    }
    if (!may_write_ || !content.exists) {
        return config_.find([this] { start_tailscaled(); });
    }
    // Resets the keys of an earlier start. The keys that identify the device stay, because the
    // controller needs them.
    secret_->set(renderer::kCapVer, fmt::format("{}", kCapabilityVersion));
    if (!e.pod_uid.empty()) {
        secret_->set(renderer::kPodUid, e.pod_uid);
    }
    for (const std::string_view key :
         {renderer::kHttpsEndpoint, renderer::kEgressStatus, renderer::kIngressStatus}) {
        secret_->set(key, std::nullopt);
    }
    const auto asked = content.data.find(renderer::kReissueAuthKey);
    if (asked != content.data.end() && !config_.config().auth_key.empty() &&
        asked->second != config_.config().auth_key) {
        secret_->set(renderer::kReissueAuthKey, std::nullopt);
    }
    secret_->on_written([this] {
        secret_->on_written(nullptr);
        config_.find([this] { start_tailscaled(); });
    });
}

void Proxy::start_tailscaled() {
    if (shutdown_ != nullptr) {
        return;
    }
    config_.keep_key();
    if (auto started = tailscaled_.start(config_.path()); !started) {
        finish(1, "failed to bring up tailscale: starting tailscaled failed: " +
                      started.error().diagnostic.message);
    }
}

void Proxy::log_in() {
    if (shutdown_ != nullptr) {
        return;
    }
    if (auto started = endpoints_.start(); !started) {
        return finish(1, started.error().diagnostic.message);
    }
    if (environment_.udp_gro) {
        parts_.api.set_udp_gro_forwarding([&log = parts_.log](const localapi::LocalReply& reply) {
            if (!reply.ok()) {
                log.warning("error enabling UDP GRO forwarding: " + reply.problem);
            }
        });
    }
    link_socket(environment_, parts_.log);
    login_ = std::make_unique<Login>(
        parts_.loop, children_, parts_.api, parts_.log, parts_.random, environment_, files_,
        written_secret(),
        Login::Listener{.on_running = [this] { run(); },
                        .on_end = [this](int code, const std::string& why) { finish(code, why); }});
    login_->start(config_.mounted_path(), config_.config(), config_.key_text());
}

void Proxy::run() {
    if (exit_code_) {
        return;
    }
    parts_.loop.cancel(std::exchange(boot_timer_, 0));
    runner_ = std::make_unique<Runner>(parts_, environment_, files_, config_, written_secret(),
                                       state_, [this](const std::string& why) { finish(1, why); });
    runner_->start();
}

void Proxy::finish(int code, const std::string& why) {
    if (!why.empty()) {
        code == 0 ? parts_.log.info(why) : parts_.log.error(why);
    }
    if (runner_ != nullptr) {
        runner_->stop();
    }
    parts_.loop.cancel(std::exchange(boot_timer_, 0));
    if (!tailscaled_.is_running()) {
        endpoints_.stop();
        if (const auto over = std::exchange(over_, nullptr)) {
            over(exit_code_.value_or(code));
        }
        return;
    }
    if (!exit_code_) {
        exit_code_ = code;
        config_.stop();
        shutdown_ =
            std::make_unique<Shutdown>(parts_.loop, parts_.api, parts_.log, written_secret(),
                                       environment_.kube_secret, [this] { tailscaled_.end(); });
        shutdown_->start();
    }
}

std::string Proxy::metrics() const {
    MetricsText out;
    out.gauge("tailrender_proxy_ready", "Whether the configuration found at start is applied.",
              state_.not_ready.empty() ? 1 : 0);
    out.gauge("tailrender_proxy_rules_applied", "Whether the kernel has the rules that are wanted.",
              runner_ == nullptr || runner_->are_rules_applied() ? 1 : 0);
    return out.text();
}

}  // namespace runtime::proxy
