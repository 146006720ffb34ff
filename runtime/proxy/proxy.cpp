#include "runtime/proxy/proxy.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/state_secret.h"

namespace runtime::proxy {

Proxy::Proxy(const ProxyParts& parts, Environment environment, std::string config_path,
             TailscaledConfig config)
    : parts_(parts),
      environment_(std::move(environment)),
      config_path_(std::move(config_path)),
      config_(std::move(config)),
      files_(parts.loop, parts.log, parts.random),
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
                       }}),
      bus_(parts.loop, parts.api, parts.random, view_,
           {.on_message = [this](const localapi::BusMessage& message) { take(message); },
            .on_trouble =
                [this](const std::string& problem) {
                    parts_.log.info("IPN bus watch ended; reconnecting: " + problem);
                },
            .on_failure =
                [this](const std::string& problem) {
                    finish(1, "reading tailscaled IPN bus: " + problem);
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
        return find_config();
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
    if (asked != content.data.end() && !config_.auth_key.empty() &&
        asked->second != config_.auth_key) {
        secret_->set(renderer::kReissueAuthKey, std::nullopt);
    }
    secret_->on_written([this] {
        secret_->on_written(nullptr);
        find_config();
    });
}

// True for pods as tailrender renders them: their Secrets have the pod's name, and are mounted at a
// folder of that name.
bool Proxy::has_config_of_its_own() const {
    return environment_.in_kubernetes && !environment_.pod_name.empty() &&
           config_path_.find(fmt::format("/{}/", environment_.pod_name)) != std::string::npos;
}

std::vector<FollowedFiles::File> Proxy::config_files() const {
    std::vector<FollowedFiles::File> files = {
        {config_path_.substr(config_path_.rfind('/') + 1), config_path_}};
    if (!environment_.serve_config.empty() && environment_.ingress_config.empty()) {
        files.push_back({std::string(renderer::kServeDatum), environment_.serve_config});
    }
    return files;
}

std::vector<FollowedFiles::File> Proxy::key_files() const {
    const std::string path = key_file_of(config_.auth_key);
    return path.empty()
               ? std::vector<FollowedFiles::File>()
               : std::vector<FollowedFiles::File>{{std::string(renderer::kAuthDatum), path}};
}

// Reads the pod's Secrets from the API server: the mounted files may be out of date.
void Proxy::find_config() {
    if (!has_config_of_its_own()) {
        return start_tailscaled();
    }
    files_.ask(*parts_.kube, kube::kSecrets, parts_.ns,
               renderer::config_secret_name(environment_.pod_name), config_files(),
               [this](bool is_followed) {
                   if (!is_followed) {
                       return start_tailscaled();
                   }
                   files_.ask(*parts_.kube, kube::kSecrets, parts_.ns,
                              renderer::auth_secret_name(environment_.pod_name), key_files(),
                              [this](bool) {
                                  follow_config();
                                  start_tailscaled();
                              });
               });
}

void Proxy::follow_config() {
    const std::string folder = environment_.at_root("/dev/shm/tailrender-" + environment_.pod_name);
    copy_ = std::make_unique<ConfigCopy>(files_, folder, config_path_);
    if (auto written = copy_->write(); !written) {
        parts_.log.warning(written.error().diagnostic.message +
                           "; only the mounted files are watched");
        copy_ = nullptr;
        return;
    }
    if (auto config = parse_config(files_.text_of(config_path_), config_path_)) {
        config_ = std::move(*config);
    }
    files_.follow(*parts_.kube, kube::kSecrets, parts_.ns,
                  renderer::config_secret_name(environment_.pod_name), config_files(),
                  [this] { take_config(); });
    files_.follow(*parts_.kube, kube::kSecrets, parts_.ns,
                  renderer::auth_secret_name(environment_.pod_name), key_files(),
                  [this] { take_config(); });
}

void Proxy::take_config() {
    if (login_ != nullptr) {
        login_->look_for_key();
    }
    if (serve_ != nullptr) {
        serve_->look();
    }
    if (copy_ != nullptr) {
        if (auto written = copy_->write(); !written) {
            return parts_.log.error(written.error().diagnostic.message);
        }
    }
    if (config_folder_ != nullptr) {
        reload_config();
    }
}

void Proxy::start_tailscaled() {
    if (shutdown_ != nullptr) {
        return;
    }
    key_text_ = files_.text_of(key_file_of(config_.auth_key));
    if (auto started = tailscaled_.start(copy_ != nullptr ? copy_->path() : config_path_);
        !started) {
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
        may_write_ ? secret_.get() : nullptr,
        Login::Listener{.on_running = [this] { run(); },
                        .on_end = [this](int code, const std::string& why) { finish(code, why); }});
    login_->start(config_path_, config_, key_text_);
}

void Proxy::finish(int code, const std::string& why) {
    if (!why.empty()) {
        code == 0 ? parts_.log.info(why) : parts_.log.error(why);
    }
    bus_.close();
    serve_ = nullptr;
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
        shutdown_ = std::make_unique<Shutdown>(
            parts_.loop, parts_.api, parts_.log, may_write_ ? secret_.get() : nullptr,
            environment_.kube_secret, [this] { tailscaled_.end(); });
        shutdown_->start();
    }
}

}  // namespace runtime::proxy
