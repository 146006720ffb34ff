// Logs tailscaled in, with the auth key in its configuration or by `tailscale up`, until it is
// running. Requests a new auth key if the old one does not work.
// Source: tailscale v1.104.5 cmd/containerboot/main.go, kube.go, kube/authkey.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/weakly.h"
#include "runtime/localapi/bus_watch.h"
#include "runtime/proxy/child_processes.h"
#include "runtime/proxy/config_file.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/followed_files.h"
#include "runtime/proxy/state_secret.h"
#include "runtime/proxy/watched_folder.h"

namespace runtime::proxy {

class Login {
public:
    struct Listener {
        std::function<void()> on_running;  // once
        // The process has to exit: a new key has arrived (code 0), or something failed.
        std::function<void(int code, const std::string& why)> on_end;
    };
    // `state` is null if the process may not write to a Secret. All references outlive it.
    Login(Loop& loop, ChildProcesses& children, localapi::LocalApi& api, Log& log,
          RandomSource& random, const Environment& environment, const FollowedFiles& files,
          OwnStateSecret* state, Listener listener);
    ~Login();
    Login(const Login&) = delete;
    Login& operator=(const Login&) = delete;

    // Starts the login. `config_path` is empty if there is no configuration file. `key_text` is the
    // content of the key's file when tailscaled was started.
    void start(const std::string& config_path, const TailscaledConfig& config,
               const std::string& key_text);
    // True while it waits for a new key. The boot timeout does not apply then.
    [[nodiscard]] bool is_waiting_for_key() const { return folder_ != nullptr; }
    // Checks whether the configuration or the key has changed. Does nothing unless it waits for a
    // key.
    void look_for_key();

private:
    void take(const localapi::BusMessage& message);
    void run(const std::string& what, const std::vector<std::string>& arguments,
             std::function<void()> next);
    void log_in();
    void need_login();
    void ask_for_key(std::string_view why);
    void forget_device();
    void set_up();
    void end(int code, const std::string& why);

    Loop& loop_;
    ChildProcesses& children_;
    localapi::LocalApi& api_;
    Log& log_;
    const Environment& environment_;
    const FollowedFiles& files_;
    OwnStateSecret* state_;
    Listener listener_;
    localapi::TailnetView view_;
    localapi::BusWatch bus_;
    std::string config_path_;
    std::string key_, key_file_text_;  // as the configuration has it; the content of its file
    bool has_tried_ = false;           // tried to log in
    bool is_over_ = false;
    std::unique_ptr<WatchedFolder> folder_, key_folder_;
    Duration asked_at_ = {};
    TimerId timer_ = 0;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
