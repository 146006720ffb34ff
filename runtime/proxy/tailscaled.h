// The tailscaled of this pod: started once, watched, ended. One that no longer answers is ended,
// too: the kubelet then starts the pod's container anew.
// Source: tailscale v1.104.5 cmd/containerboot/tailscaled.go.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/log.h"
#include "runtime/localapi/client.h"
#include "runtime/proxy/child_processes.h"
#include "runtime/proxy/environment.h"

namespace runtime {

class Tailscaled {
public:
    struct Listener {
        std::function<void()> on_socket;  // LocalAPI can be asked
        std::function<void(const Ending&)> on_end;
    };
    // All references outlive it.
    Tailscaled(Loop& loop, ChildProcesses& children, LocalApi& api, Log& log,
               const Environment& environment, Listener listener);
    ~Tailscaled();
    Tailscaled(const Tailscaled&) = delete;
    Tailscaled& operator=(const Tailscaled&) = delete;

    renderer::Result<renderer::Unit> start(const std::string& config);
    [[nodiscard]] bool is_running() const { return process_ != 0; }
    // Asks it to end, and ends it when it does not within a while.
    void end();

private:
    void look_for_socket();
    void look_after();
    void take_pulse(const LocalReply& reply);

    Loop& loop_;
    ChildProcesses& children_;
    LocalApi& api_;
    Log& log_;
    const Environment& environment_;
    Listener listener_;
    pid_t process_ = 0;
    int missed_ = 0;  // pulses in a row
    TimerId timer_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime
