// The sessions of this process: which connections become one, and how all of them end.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "runtime/api_proxy/session.h"
#include "runtime/base/asio_loop.h"

namespace runtime {
class Listener;
}

namespace runtime::api_proxy {

class Server {
public:
    // All references outlive it. `tailscaled`: the user whose connections count; without a value
    // none does, and never root, as whom everyone comes who may forward ports into the pod.
    Server(AsioLoop& loop, Shared& shared, std::function<std::optional<uid_t>()> tailscaled);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // On an address of IPv4 loopback. The result is the port.
    renderer::Result<std::uint16_t> listen(const AddressPort& at);
    // Takes no new connections and requests; `done` once all have ended and their recordings are
    // taken, at the latest after `grace`.
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
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime::api_proxy
