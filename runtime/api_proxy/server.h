// The sessions of this process: accepts connections, and ends all sessions.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "runtime/api_proxy/session.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/weakly.h"

namespace runtime::inline base {
class Listener;
}

namespace runtime::api_proxy {

class Server {
public:
    // All references must outlive it. `tailscaled` returns the user whose connections are accepted.
    // Without a value none is. Root's never are, since everyone who may forward ports into the pod
    // connects as root.
    Server(AsioLoop& loop, Shared& shared, std::function<std::optional<uid_t>()> tailscaled);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Listens on an IPv4 loopback address. Returns the port.
    renderer::Result<std::uint16_t> listen(const AddressPort& at);
    // Stops taking connections and requests. Calls `done` when all sessions have ended and their
    // recordings are uploaded, or after `grace`.
    void stop(Duration grace, std::function<void()> done);
    void end_all(std::string_view reason);
    [[nodiscard]] std::size_t size() const { return sessions_.size(); }

private:
    void take(int descriptor);
    bool end_most_silent();
    void tick();
    void forget(std::uint64_t id);
    void finish();

    AsioLoop& loop_;
    Shared& shared_;
    std::function<std::optional<uid_t>()> tailscaled_;
    std::unique_ptr<Listener> listener_;
    std::uint64_t next_ = 1;
    std::map<std::uint64_t, std::unique_ptr<Session>> sessions_;
    TimerId timer_ = 0;
    std::optional<Duration> ends_at_;
    std::function<void()> stopped_;
    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy
