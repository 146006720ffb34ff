// The parts of tailscaled's LocalAPI that a proxy uses, over tailscaled's Unix socket.
// Source: tailscale v1.104.5 ipn/localapi, client/local.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "runtime/base/transport.h"

namespace runtime::localapi {

struct LocalReply {
    int code = 0;  // HTTP status; 0: no reply
    std::string body = {};
    std::string etag = {};
    std::string problem = {};  // empty if the request succeeded
    std::optional<std::chrono::seconds> retry_after = {};

    [[nodiscard]] bool ok() const { return problem.empty(); }
};

using LocalDone = std::function<void(LocalReply)>;

// The bits of a subscription to the bus.
inline constexpr unsigned kInitialState = 1U << 1U;
inline constexpr unsigned kInitialPrefs = 1U << 2U;
inline constexpr unsigned kInitialNetMap = 1U << 3U;  // refused since 1.104
inline constexpr unsigned kInitialHealth = 1U << 7U;
inline constexpr unsigned kPeerChanges = 1U << 12U;  // since 1.104, as are those below
inline constexpr unsigned kNoNetMap = 1U << 13U;
inline constexpr unsigned kInitialStatus = 1U << 14U;

class LocalApi {
public:
    // The transport connects to tailscaled's socket, and must outlive this.
    explicit LocalApi(Transport& transport) : transport_(transport) {}

    void status(LocalDone done) { get("status?peers=false", kQuick, std::move(done)); }
    void prefs(LocalDone done) { get("prefs", kQuick, std::move(done)); }
    void edit_prefs(const renderer::Value& masked, LocalDone done);
    // `set_serve_config` takes the `etag` of the reply.
    void serve_config(LocalDone done) { get("serve-config", kQuick, std::move(done)); }
    // Fails with code 412 if the configuration no longer has this `etag`, which may be empty.
    void set_serve_config(std::string config, const std::string& etag, LocalDone done);
    // Returns key and certificate chain in PEM. Orders a certificate if there is none, which takes
    // a while.
    void cert(std::string_view domain, LocalDone done);
    // Asks who has an address such as "100.64.0.7:443". Code 404 if no one has it.
    void whois(std::string_view address, LocalDone done);
    void dns_config(LocalDone done) { get("dns-config", kQuick, std::move(done)); }
    void user_metrics(LocalDone done) { get("usermetrics", kQuick, std::move(done)); }
    void set_udp_gro_forwarding(LocalDone done);
    void disconnect_control(LocalDone done) { post("disconnect-control", {}, std::move(done)); }
    // Fails if tailscaled refuses the configuration. It reports that by 200 with an empty body.
    void reload_config(LocalDone done);

    // Passes on the lines of the bus. Ends with code 0 after `silence` without a line.
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

}  // namespace runtime::localapi
