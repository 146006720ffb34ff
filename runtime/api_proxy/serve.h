// Keeps tailscaled's Serve configuration as this proxy needs it: tailscaled terminates TLS for the
// device's own name on port 443, and forwards the connections to this proxy on loopback with a
// PROXY header. The pod's tailscaled serves nothing else. For a Tailscale Service, the program that
// starts tailscaled writes the configuration, and this class only checks it. An earlier process of
// this container may have withdrawn the Service, though. So if tailscaled does not advertise it,
// this class makes tailscaled reload its configuration, until that succeeds once. It checks every
// minute, and every second while there is a problem. Source: tailscale v1.96.5 ipn/serve.go,
// ipn/localapi/serve.go, ipn/conf.go.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "renderer/core/result.h"
#include "renderer/core/value.h"
#include "runtime/base/ip_prefix.h"
#include "runtime/base/log.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"

namespace runtime::api_proxy {

// Returns the Serve configuration for a device with this name.
renderer::Value serve_config(std::string_view domain, const AddressPort& at);

class Serve {
public:
    // Returns the user of the process that listens on tailscaled's socket.
    using Owner = std::function<renderer::Result<uid_t>()>;

    // All references must outlive it. `at` is where the proxy listens. `service` is "svc:NAME", or
    // empty. `misled` is called if tailscaled forwards to this proxy in any other way, so that open
    // connections may be from anyone.
    Serve(Loop& loop, Log& log, localapi::LocalApi& api, Owner owner, AddressPort at,
          std::string service, std::function<void()> misled);
    ~Serve();
    Serve(const Serve&) = delete;
    Serve& operator=(const Serve&) = delete;

    void start() { look(); }
    // Calls `ended` once nothing will be advertised any more. May be called once.
    void end(std::function<void()> ended);
    // Returns the user whose connections are accepted: tailscaled's, while it answers and serves as
    // needed. If it forwards in any other way, anyone may have written the PROXY header.
    [[nodiscard]] std::optional<uid_t> tailscaled() const {
        return problem_.empty() ? tailscaled_ : std::nullopt;
    }
    // Returns why tailscaled does not serve as needed, or "" if it does.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void look();
    void on_status(const localapi::LocalReply& reply);
    void on_config(const localapi::LocalReply& reply, const std::string& domain);
    void note(std::string problem);
    void settle(std::string problem);
    void look_for_service();
    void advertise();
    void not_advertised(std::string trouble);

    Loop& loop_;
    Log& log_;
    localapi::LocalApi& api_;
    Owner owner_;
    AddressPort at_;
    std::string service_;
    std::function<void()> misled_, ended_;
    std::optional<uid_t> tailscaled_;
    std::string problem_ = "starting";
    std::string trouble_;         // the last logged reason why the Service is not advertised
    bool is_advertised_ = false;  // was seen or requested
    bool is_reloading_ = false, is_ending_ = false;
    TimerId timer_ = 0;
    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy
