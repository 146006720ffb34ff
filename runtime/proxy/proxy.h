// The proxy of a pod. It boots as containerboot does (environment, Secret, tailscaled, login), then
// has the Runner apply what the environment requests, and ends what it has started.
// Source: tailscale v1.104.5 cmd/containerboot/main.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/proxy/config_follower.h"
#include "runtime/proxy/endpoints.h"
#include "runtime/proxy/followed_files.h"
#include "runtime/proxy/login.h"
#include "runtime/proxy/proxy_parts.h"
#include "runtime/proxy/runner.h"
#include "runtime/proxy/shutdown.h"
#include "runtime/proxy/tailscaled.h"

namespace runtime::proxy {

// Links tailscaled's socket to the path where the `tailscale` command looks for it.
void link_socket(const Environment& environment, Log& log);

class Proxy {
public:
    Proxy(const ProxyParts& parts, Environment environment, std::string config_path,
          TailscaledConfig config);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    // `over` is called once, with the exit code, after everything has ended.
    void start(std::function<void(int code)> over);
    // Ends the proxy, as on SIGTERM.
    void end() { finish(0, {}); }

private:
    // The steps of the boot, in this order.
    void check_rights(const OwnStateSecret::Rights& rights);
    void take_state(const OwnStateSecret::Content& content);
    void start_tailscaled();
    void log_in();
    void run();

    void finish(int code, const std::string& why);
    [[nodiscard]] std::string metrics() const;
    // Null if the pod may not write to its state Secret.
    [[nodiscard]] OwnStateSecret* written_secret() const {
        return may_write_ ? secret_.get() : nullptr;
    }

    ProxyParts parts_;
    Environment environment_;
    std::function<void(int)> over_;
    EndpointState state_;
    FollowedFiles files_;
    ConfigFollower config_;
    Endpoints endpoints_;
    ChildProcesses children_;
    Tailscaled tailscaled_;
    std::unique_ptr<OwnStateSecret> secret_;
    bool may_write_ = false;  // the pod may write to the state Secret
    std::unique_ptr<Login> login_;
    std::unique_ptr<Runner> runner_;  // after the login
    std::unique_ptr<Shutdown> shutdown_;
    std::optional<int> exit_code_ = {};  // set while tailscaled ends
    TimerId boot_timer_ = 0;
};

}  // namespace runtime::proxy
