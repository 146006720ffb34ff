// Withdraws the services of tailscaled before tailscaled ends: Tailscale Services move to other
// pods, and a login that is being written to the state Secret is completed. Takes at most 25 of the
// 30 seconds that the kubelet gives.
// Source: tailscale v1.104.5 cmd/containerboot/main.go, kube.go, kube/services.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/log.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/withdrawal.h"
#include "runtime/proxy/state_secret.h"

namespace runtime::proxy {

class Shutdown {
public:
    // `state` is null if tailscaled's state is not in a Secret. `ready` is called when tailscaled
    // may be ended. All references outlive it.
    Shutdown(Loop& loop, localapi::LocalApi& api, Log& log, OwnStateSecret* state,
             std::string secret_name, std::function<void()> ready);
    ~Shutdown();
    Shutdown(const Shutdown&) = delete;
    Shutdown& operator=(const Shutdown&) = delete;

    void start();

private:
    void wait_for_state();
    void finish();

    Loop& loop_;
    Log& log_;
    OwnStateSecret* state_;
    std::string secret_name_;
    std::function<void()> ready_;
    int looks_ = 0;  // how often the state was inconsistent
    bool is_over_ = false;
    TimerId timer_ = 0, deadline_timer_ = 0;
    localapi::Withdrawal withdrawal_;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
