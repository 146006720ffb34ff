// The tailscaled of this pod: started once, watched, ended. If it no longer answers, it is killed;
// the kubelet then restarts the pod's container.
// Source: tailscale v1.104.5 cmd/containerboot/tailscaled.go.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/log.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"
#include "runtime/proxy/child_processes.h"
#include "runtime/proxy/environment.h"

namespace runtime::proxy {

class Tailscaled {
public:
    struct Listener {
        std::function<void()> on_socket;  // LocalAPI takes requests
        std::function<void(const Ending&)> on_end;
    };
    // All references outlive it.
    Tailscaled(Loop& loop, ChildProcesses& children, localapi::LocalApi& api, Log& log,
               const Environment& environment, Listener listener);
    ~Tailscaled();
    Tailscaled(const Tailscaled&) = delete;
    Tailscaled& operator=(const Tailscaled&) = delete;

    renderer::Result<renderer::Unit> start(const std::string& config);
    [[nodiscard]] bool is_running() const { return process_ != 0; }
    // Sends SIGTERM, and SIGKILL if it has not ended after four seconds.
    void end();

private:
    void look_for_socket();
    void look_after();
    void take_pulse(const localapi::LocalReply& reply);

    Loop& loop_;
    ChildProcesses& children_;
    localapi::LocalApi& api_;
    Log& log_;
    const Environment& environment_;
    Listener listener_;
    pid_t process_ = 0;
    int missed_ = 0;  // checks in a row without an answer
    TimerId timer_ = 0;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
