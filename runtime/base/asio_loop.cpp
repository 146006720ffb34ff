#include "runtime/base/asio_loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <map>
#include <utility>

#include "runtime/base/descriptor_set.h"

namespace runtime::inline base {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

struct AsioLoop::State {
    asio::io_context context{1};
    asio::signal_set signals{context};
    TimerId next_timer = 1;
    std::map<TimerId, asio::steady_timer> timers;
    DescriptorSet watched;
    Descriptor any_watched{context, watched.descriptor()};
    bool is_waiting = false;

    ~State() { any_watched.release(); }

    // Waits while any descriptor is watched. If none is, the loop may end.
    void wait() {
        if (watched.is_empty()) {
            return any_watched.cancel();
        }
        if (std::exchange(is_waiting, true)) {
            return;
        }
        any_watched.async_wait(Descriptor::wait_read,
                               [this](const boost::system::error_code& error) {
                                   is_waiting = false;
                                   if (!error) {
                                       watched.deliver([this] { return context.stopped(); });
                                   }
                                   wait();
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
        // It may have been cancelled after it expired.
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
    state_->watched.watch(descriptor, interest, std::move(ready));
    state_->wait();
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

}  // namespace runtime::inline base
