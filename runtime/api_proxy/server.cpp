#include "runtime/api_proxy/server.h"

#include <utility>

#include "runtime/api_proxy/socket_owner.h"
#include "runtime/base/listener.h"

namespace runtime::api_proxy {

namespace {

constexpr Duration kServerTick = std::chrono::seconds(1);
// Sessions beyond the limit of connections that get a response with the reason. Connections beyond
// these are closed at once.
constexpr std::size_t kTold = 500;

}  // namespace

Server::Server(AsioLoop& loop, Shared& shared, std::function<std::optional<uid_t>()> tailscaled)
    : loop_(loop), shared_(shared), tailscaled_(std::move(tailscaled)) {
    timer_ = loop_.after(kServerTick, [this] { tick(); });
}

Server::~Server() {
    loop_.cancel(timer_);
}

renderer::Result<std::uint16_t> Server::listen(const AddressPort& at) {
    listener_ = std::make_unique<Listener>(
        loop_, [this](boost::asio::ip::tcp::socket socket) { take(socket.release()); });
    return listener_->listen(at);
}

void Server::take(int descriptor) {
    Stream client(descriptor);
    const auto owner = owner_of_peer(descriptor);
    const auto wanted = tailscaled_();
    if (!wanted) {
        ++shared_.counters.unled;
        shared_.log.warning("refused a connection: tailscaled does not serve this proxy now");
        return;
    }
    if (!owner || *owner != *wanted || *wanted == 0) {
        ++shared_.counters.foreign;
        shared_.log.warning("refused a connection that is not tailscaled's");
        return;
    }
    if (sessions_.size() >= shared_.limits.connections + kTold) {
        ++shared_.counters.crowded;
        return;
    }
    const bool is_over_limit = sessions_.size() >= shared_.limits.connections && !end_most_silent();
    const std::uint64_t id = next_++;
    auto session = std::make_unique<Session>(shared_, std::move(client), is_over_limit, [this, id] {
        loop_.after({}, lifetime_.guarded([this, id] { forget(id); }));
    });
    Session& started = *session;
    sessions_.emplace(id, std::move(session));
    started.start();
}

// Ends the session that was silent the longest, so that idle connections cannot keep others out.
// Returns false if every session has a request.
bool Server::end_most_silent() {
    Session* found = nullptr;
    Duration since{};
    for (const auto& [id, session] : sessions_) {
        const auto silent = session->silent_since();
        if (silent && (found == nullptr || *silent < since)) {
            found = session.get();
            since = *silent;
        }
    }
    if (found != nullptr) {
        ++shared_.counters.crowded;
        found->end("");
    }
    return found != nullptr;
}

void Server::forget(std::uint64_t id) {
    sessions_.erase(id);
    finish();
}

// Recordings are finished too, unless the time is over.
void Server::finish() {
    const bool is_over = ends_at_ && loop_.uptime() >= *ends_at_;
    if (stopped_ != nullptr && sessions_.empty() && (shared_.uploads.empty() || is_over)) {
        std::exchange(stopped_, nullptr)();
    }
}

void Server::tick() {
    const bool is_over = ends_at_ && loop_.uptime() >= *ends_at_;
    for (const auto& [id, session] : sessions_) {
        is_over ? session->end("the proxy stops") : session->tick();
    }
    finish();
    timer_ = loop_.after(kServerTick, [this] { tick(); });
}

void Server::end_all(std::string_view reason) {
    for (const auto& [id, session] : sessions_) {
        session->end(reason);
    }
}

void Server::stop(Duration grace, std::function<void()> done) {
    listener_.reset();
    ends_at_ = loop_.uptime() + grace;
    for (const auto& [id, session] : sessions_) {
        session->drain();
    }
    stopped_ = std::move(done);
    finish();
}

}  // namespace runtime::api_proxy
