// The event loop of the real process, on Boost.Asio.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/loop.h"

namespace boost::asio {
class io_context;
}

namespace runtime::inline base {

class AsioLoop : public Loop {
public:
    AsioLoop();
    ~AsioLoop() override;

    [[nodiscard]] Time now() const override;
    [[nodiscard]] Duration uptime() const override;
    TimerId after(Duration delay, std::function<void()> task) override;
    void cancel(TimerId id) override;
    void watch(int descriptor, Interest interest, std::function<void(Interest)> ready) override;

    // Runs until `stop`, or until there is nothing left to wait for. May be called again.
    void run();
    void stop();
    // Calls `task` for the first SIGTERM or SIGINT; the next one ends the process as usual.
    void on_termination(std::function<void()> task);

    // The context for servers that use Asio directly.
    boost::asio::io_context& context();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime::inline base
