#include "runtime/proxy/login.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/state_secret.h"
#include "runtime/base/file.h"

namespace runtime::proxy {

namespace {

constexpr Duration kLongestWait = std::chrono::minutes(10);
constexpr Duration kKeyPeriod = std::chrono::seconds(5);

}  // namespace

Login::Login(Loop& loop, ChildProcesses& children, localapi::LocalApi& api, Log& log,
             RandomSource& random, const Environment& environment, const FollowedFiles& files,
             OwnStateSecret* state, Listener listener)
    : loop_(loop),
      children_(children),
      api_(api),
      log_(log),
      environment_(environment),
      files_(files),
      state_(state),
      listener_(std::move(listener)),
      bus_(loop, api, random, view_,
           {.on_message = [this](const localapi::BusMessage& message) { take(message); },
            .on_trouble =
                [this](const std::string& problem) {
                    log_.info("IPN bus watch ended; reconnecting: " + problem);
                },
            .on_failure =
                [this](const std::string& problem) {
                    end(1, "reading tailscaled IPN bus: " + problem);
                }}) {}

Login::~Login() {
    loop_.cancel(timer_);
}

void Login::start(const std::string& config_path, const TailscaledConfig& config,
                  const std::string& key_text) {
    config_path_ = config_path;
    key_ = config.auth_key;
    key_file_text_ = key_text;
    if (!environment_.is_one_step() && !environment_.auth_once) {
        return log_in();
    }
    bus_.open(false);
}

void Login::log_in() {
    if (std::exchange(has_tried_, true)) {
        return;
    }
    bus_.close();
    run("up", up_arguments(environment_), [this] { bus_.open(false); });
}

void Login::run(const std::string& what, const std::vector<std::string>& arguments,
                std::function<void()> next) {
    log_.info(fmt::format("Running 'tailscale {}'", what));
    auto started = children_.spawn(
        "tailscale", arguments, {},
        lifetime_.guarded([this, what, next = std::move(next)](const Ending& ending) {
            if (is_over_) {
                return;
            }
            if (ending.code != 0) {
                return end(1, fmt::format("failed to auth tailscale: tailscale {} failed: {}", what,
                                          ending.text()));
            }
            next();
        }));
    if (!started) {
        end(1, fmt::format("failed to auth tailscale: tailscale {} failed: {}", what,
                           started.error().diagnostic.message));
    }
}

void Login::take(const localapi::BusMessage& message) {
    if (!message.error.empty()) {
        log_.info("tailscaled IPN bus error: " + message.error);
    }
    if (message.state) {
        switch (*message.state) {
            case localapi::BackendState::NeedsLogin:
                return need_login();
            case localapi::BackendState::NeedsMachineAuth:
                log_.info("machine authorization required, please visit the admin panel");
                break;
            case localapi::BackendState::Running:
                bus_.close();
                return set_up();
            case localapi::BackendState::NoState:
            case localapi::BackendState::InUseOtherUser:
            case localapi::BackendState::Stopped:
            case localapi::BackendState::Starting:
                log_.info(fmt::format("tailscaled in state \"{}\", waiting",
                                      localapi::name_of(*message.state)));
                break;
        }
    }
    if (message.login_failed && environment_.is_one_step() && state_ != nullptr) {
        ask_for_key("Auth key failed to authenticate (may be expired or single-use)");
    }
}

void Login::need_login() {
    if (!environment_.is_one_step()) {
        return log_in();
    }
    if (state_ == nullptr) {
        return end(1,
                   "invalid state: tailscaled daemon started with a config file, but tailscale is "
                   "not logged in: ensure you pass a valid auth key in the config file");
    }
    ask_for_key("Auth key missing or invalid (NeedsLogin state)");
}

void Login::ask_for_key(std::string_view why) {
    bus_.close();
    log_.info(
        fmt::format("{}, disconnecting from control and requesting new key from operator", why));
    api_.disconnect_control(lifetime_.guarded([this](const localapi::LocalReply& reply) {
        if (!reply.ok()) {
            log_.warning("error disconnecting from control: " + reply.problem);
        }
    }));
    log_.info("Requesting a new auth key from operator");
    state_->set(renderer::kReissueAuthKey, key_);
    log_.info("Waiting for operator to provide new auth key (max wait: 10m0s)");
    asked_at_ = loop_.uptime();
    folder_ = std::make_unique<WatchedFolder>(loop_, log_, folder_of(config_path_),
                                              [this] { look_for_key(); });
    if (const std::string file = key_file_of(key_); !file.empty()) {
        key_folder_ = std::make_unique<WatchedFolder>(loop_, log_, folder_of(file),
                                                      [this] { look_for_key(); });
    }
    if (!folder_->is_polled()) {
        log_.info("auth key reissue: watching for config changes via fsnotify");
    }
    look_for_key();
}

// A new key is another text in the configuration, or another text in the file that it names.
void Login::look_for_key() {
    if (is_over_ || !is_waiting_for_key()) {
        return;
    }
    loop_.cancel(timer_);
    timer_ = loop_.after(kKeyPeriod, [this] { look_for_key(); });
    const auto config = parse_config(files_.text_of(config_path_), config_path_);
    const std::string key = config ? config->auth_key : std::string();
    const std::string file_text = files_.text_of(key_file_of(key_));
    const auto waited =
        std::chrono::duration_cast<std::chrono::seconds>(loop_.uptime() - asked_at_).count();
    const bool is_other_text = !key.empty() && key != key_;
    if (is_other_text || (!file_text.empty() && file_text != key_file_text_)) {
        log_.info(fmt::format("New auth key received from operator after {}s", waited));
        loop_.cancel(std::exchange(timer_, 0));
        is_over_ = true;
        if (is_other_text) {
            return forget_device();
        }
        // The path is the same: the controller that renders such a path handles the old device
        // itself.
        state_->set(renderer::kReissueAuthKey, std::nullopt);
        state_->on_written([this] {
            listener_.on_end(
                0, "Successfully received new auth key, restarting to apply configuration");
        });
        return;
    }
    if (loop_.uptime() - asked_at_ >= kLongestWait) {
        end(1,
            "failed to get a reissued authkey: failed to receive new auth key: timeout waiting "
            "for auth key reissue after 10m0s");
    }
}

// Deletes the device's own state, so that it joins as a new device. The operator deletes the old
// device.
void Login::forget_device() {
    state_->read(lifetime_.guarded([this](const OwnStateSecret::Content& content) {
        for (const std::string_view key :
             {renderer::kReissueAuthKey, renderer::kDeviceId, renderer::kDeviceFqdn,
              renderer::kDeviceIps, std::string_view(renderer::kMachineKey),
              std::string_view(renderer::kCurrentProfile),
              std::string_view(renderer::kKnownProfiles)}) {
            state_->set(key, std::nullopt);
        }
        const auto profile = content.data.find(renderer::kCurrentProfile);
        if (profile != content.data.end() && !profile->second.empty()) {
            state_->set(profile->second, std::nullopt);
        }
        state_->on_written([this] {
            listener_.on_end(
                0, "Successfully received new auth key, restarting to apply configuration");
        });
    }));
}

// Completes the setup when tailscaled runs. Does nothing the second time.
void Login::set_up() {
    if (is_over_) {
        return;
    }
    const auto finish = [this] {
        is_over_ = true;
        if (environment_.auth_once && state_ != nullptr) {
            log_.info("Deleting authkey from Kubernetes Secret");
            state_->set(renderer::kAuthDatum, std::nullopt);
        }
        listener_.on_running();
    };
    const auto reset_serve = [this, finish] {
        if (environment_.serve_config.empty()) {
            return finish();
        }
        log_.info("serve proxy: unsetting previous config");
        api_.set_serve_config(
            "{}", {}, lifetime_.guarded([this, finish](const localapi::LocalReply& reply) {
                if (!reply.ok()) {
                    return end(1, "failed to unset serve config: " + reply.problem);
                }
                finish();
            }));
    };
    if (environment_.auth_once && !environment_.is_one_step()) {
        return run("set", set_arguments(environment_), reset_serve);
    }
    reset_serve();
}

void Login::end(int code, const std::string& why) {
    if (std::exchange(is_over_, true)) {
        return;
    }
    bus_.close();
    listener_.on_end(code, why);
}

}  // namespace runtime::proxy
