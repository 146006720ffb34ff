// Keeps tailscaled's Serve as this proxy needs it: TLS of the device's own name ends there, on port
// 443, and what is in it comes to us on loopback behind a PROXY header. The pod's tailscaled serves
// nothing else. Where it is a Tailscale Service that is served, whoever starts tailscaled does
// this, and this only looks; but an earlier process of this container may have taken back that it
// is advertised, so tailscaled is told once to read its configuration again, where it does not.
// Looks again each minute, and each second until it is so. Source: tailscale v1.96.5 ipn/serve.go,
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
#include "runtime/localapi/client.h"

namespace runtime::api_proxy {

// Of a device with this name.
renderer::Value serve_config(std::string_view domain, const AddressPort& at);

class Serve {
public:
    // Of the process that tailscaled's socket is of.
    using Owner = std::function<renderer::Result<uid_t>()>;

    // All references outlive it. `at`: where we listen. `service`: "svc:NAME", or empty. `misled`:
    // tailscaled led here in another way when we looked, so that what runs may be of anyone.
    Serve(Loop& loop, Log& log, LocalApi& api, Owner owner, AddressPort at, std::string service,
          std::function<void()> misled);
    ~Serve();
    Serve(const Serve&) = delete;
    Serve& operator=(const Serve&) = delete;

    void start() { look(); }
    // Nothing is advertised any more once `ended` is called. At most once.
    void end(std::function<void()> ended);
    // Whose connections count: as whom tailscaled runs, while it serves as needed and answers.
    // Where it leads here in another way, a PROXY header may be of anyone's making.
    [[nodiscard]] std::optional<uid_t> tailscaled() const {
        return problem_.empty() ? tailscaled_ : std::nullopt;
    }
    // "": tailscaled serves.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void look();
    void on_status(const LocalReply& reply);
    void on_config(const LocalReply& reply, const std::string& domain);
    void note(std::string problem);
    void settle(std::string problem);
    void look_for_service();
    void advertise();
    void not_advertised(std::string trouble);
    template <typename Call>
    LocalDone guarded(Call call) {  // nothing happens once this is destroyed
        return [alive = std::weak_ptr(alive_), call](const LocalReply& reply) {
            if (!alive.expired()) {
                call(reply);
            }
        };
    }

    Loop& loop_;
    Log& log_;
    LocalApi& api_;
    Owner owner_;
    AddressPort at_;
    std::string service_;
    std::function<void()> misled_, ended_;
    std::optional<uid_t> tailscaled_;
    std::string problem_ = "starting";
    std::string trouble_;         // why it could not be asked for; what was said last
    bool is_advertised_ = false;  // has been seen so, or asked for
    bool is_reloading_ = false, is_ending_ = false;
    TimerId timer_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime::api_proxy
