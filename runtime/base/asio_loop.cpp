#include "runtime/base/asio_loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <map>
#include <utility>

namespace runtime {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

namespace {

// Asio owns a descriptor that it waits for; this gives it back unclosed.
class Watched {
public:
    Watched(asio::io_context& context, int descriptor) : stream_(context, descriptor) {}
    ~Watched() { end(); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    Descriptor& stream() { return stream_; }
    void end() {
        if (stream_.is_open()) {
            stream_.release();
        }
    }

    std::function<void(Interest)> ready;

private:
    Descriptor stream_;
};

}  // namespace

struct AsioLoop::State {
    asio::io_context context{1};
    asio::signal_set signals{context};
    TimerId next_timer = 1;
    std::map<TimerId, asio::steady_timer> timers;
    std::map<int, std::shared_ptr<Watched>> watched;

    void wait(const std::shared_ptr<Watched>& entry, bool write) {
        const auto kind = write ? Descriptor::wait_write : Descriptor::wait_read;
        const std::weak_ptr<Watched> weak = entry;
        entry->stream().async_wait(
            kind, [this, weak, write](const boost::system::error_code& error) {
                const auto alive = weak.lock();
                if (alive == nullptr || error) {
                    return;
                }
                const auto ready = alive->ready;  // may replace or end this very watching
                ready({.read = !write, .write = write});
                if (alive->stream().is_open()) {
                    wait(alive, write);
                }
            });
    }
};

AsioLoop::AsioLoop() : state_(std::make_unique<State>()) {}
AsioLoop::~AsioLoop() = default;

Time AsioLoop::now() const {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration AsioLoop::uptime() const {
    return std::chrono::duration_cast<Duration>(
        std::chrono::steady_clock::now().time_since_epoch());
}

TimerId AsioLoop::after(Duration delay, std::function<void()> task) {
    const TimerId id = state_->next_timer++;
    auto& timer = state_->timers.emplace(id, state_->context).first->second;
    timer.expires_after(delay);
    timer.async_wait([this, id, task = std::move(task)](const boost::system::error_code& error) {
        // Its time may have come before it was cancelled.
        if (!error && state_->timers.erase(id) > 0) {
            task();
        }
    });
    return id;
}

void AsioLoop::cancel(TimerId id) {
    state_->timers.erase(id);
}

void AsioLoop::watch(int descriptor, Interest interest, std::function<void(Interest)> ready) {
    if (const auto old = state_->watched.find(descriptor); old != state_->watched.end()) {
        old->second->end();  // now: it may live on as what is calling us
        state_->watched.erase(old);
    }
    if (!interest.read && !interest.write) {
        return;
    }
    auto entry = std::make_shared<Watched>(state_->context, descriptor);
    entry->ready = std::move(ready);
    state_->watched[descriptor] = entry;
    if (interest.read) {
        state_->wait(entry, false);
    }
    if (interest.write) {
        state_->wait(entry, true);
    }
}

void AsioLoop::run() {
    state_->context.run();
    state_->context.restart();
}
void AsioLoop::stop() {
    state_->context.stop();
}

void AsioLoop::on_termination(std::function<void()> task) {
    state_->signals.add(SIGTERM);
    state_->signals.add(SIGINT);
    state_->signals.async_wait(
        [this, task = std::move(task)](const boost::system::error_code& error, int) {
            if (error) {
                return;
            }
            state_->signals.clear();
            task();
        });
}

asio::io_context& AsioLoop::context() {
    return state_->context;
}

}  // namespace runtime
