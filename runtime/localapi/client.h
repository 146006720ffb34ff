// tailscaled's LocalAPI, as much of it as a proxy uses, over the Unix socket that it listens on.
// Source: tailscale v1.104.5 ipn/localapi, client/local.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "runtime/base/transport.h"

namespace runtime {

struct LocalReply {
    int code = 0;  // of HTTP; 0: no reply
    std::string body = {};
    std::string etag = {};
    std::string problem = {};  // "" when all is well
    std::optional<std::chrono::seconds> retry_after = {};

    [[nodiscard]] bool ok() const { return problem.empty(); }
};

using LocalDone = std::function<void(LocalReply)>;

// Bits of a subscription to the bus.
inline constexpr unsigned kInitialState = 1U << 1U;
inline constexpr unsigned kInitialPrefs = 1U << 2U;
inline constexpr unsigned kInitialNetMap = 1U << 3U;  // refused since 1.104
inline constexpr unsigned kInitialHealth = 1U << 7U;
inline constexpr unsigned kPeerChanges = 1U << 12U;  // since 1.104, as are those behind it
inline constexpr unsigned kNoNetMap = 1U << 13U;
inline constexpr unsigned kInitialStatus = 1U << 14U;

class LocalApi {
public:
    // The transport leads to tailscaled's socket, and outlives this.
    explicit LocalApi(Transport& transport) : transport_(transport) {}

    void status(LocalDone done) { get("status?peers=false", kQuick, std::move(done)); }
    void prefs(LocalDone done) { get("prefs", kQuick, std::move(done)); }
    void edit_prefs(const renderer::Value& masked, LocalDone done);
    // `etag` of the reply is what `set_serve_config` takes.
    void serve_config(LocalDone done) { get("serve-config", kQuick, std::move(done)); }
    // Only while the configuration is still that of `etag`, which may be empty: code 412 otherwise.
    void set_serve_config(std::string config, const std::string& etag, LocalDone done);
    // Key and chain in PEM; orders them when there are none, which takes its time.
    void cert(std::string_view domain, LocalDone done);
    // Of "100.64.0.7:443"; code 404: no one's.
    void whois(std::string_view address, LocalDone done);
    void dns_config(LocalDone done) { get("dns-config", kQuick, std::move(done)); }
    void user_metrics(LocalDone done) { get("usermetrics", kQuick, std::move(done)); }
    void set_udp_gro_forwarding(LocalDone done);
    void disconnect_control(LocalDone done) { post("disconnect-control", {}, std::move(done)); }
    // It answers a configuration that it does not take with 200 and nothing in it.
    void reload_config(LocalDone done);
    // Logs in with another key, in the running process.
    void start(std::string_view auth_key, LocalDone done);
    void login_interactive(LocalDone done) { post("login-interactive", {}, std::move(done)); }

    // The lines of the bus; ends with code 0 after `silence` without one.
    RequestId watch_bus(unsigned mask, Duration silence,
                        std::function<void(std::string_view)> on_data, LocalDone done);
    void cancel(RequestId id) { transport_.cancel(id); }

private:
    static constexpr Duration kQuick = std::chrono::seconds(10);

    void get(std::string_view path, Duration timeout, LocalDone done);
    void post(std::string_view path, std::string body, LocalDone done);
    void send(std::string method, std::string_view path, std::string body, Duration timeout,
              std::vector<std::string> headers, LocalDone done);

    Transport& transport_;
};

}  // namespace runtime
