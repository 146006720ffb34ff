// A stream of the event loop. Bytes that the other end has not accepted are kept, without a limit:
// the owner gives it no more while `has_pending`, and calls `flush` when the stream is writable.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/api_proxy/stream.h"
#include "runtime/base/loop.h"

namespace runtime::api_proxy {

// Reads from one connection before others get their turn.
inline constexpr int kTurns = 16;

class BufferedStream {
public:
    // The loop must outlive this. `ready` is called when the stream is ready for what is watched.
    BufferedStream(Loop& loop, std::function<void(Interest)> ready)
        : loop_(loop), ready_(std::move(ready)) {}
    ~BufferedStream() { close(); }
    BufferedStream(const BufferedStream&) = delete;
    BufferedStream& operator=(const BufferedStream&) = delete;

    // Closes the previous stream. Nothing is watched yet.
    void open(Stream stream);
    // Also drops the pending bytes.
    void close();
    void watch(Interest wanted);

    // Both return false if the connection broke.
    [[nodiscard]] bool send(std::string_view bytes);
    [[nodiscard]] bool flush();
    [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
    void drop_pending() { pending_.clear(); }

    // For everything but writing and closing.
    [[nodiscard]] Stream& stream() { return stream_; }

private:
    Loop& loop_;
    std::function<void(Interest)> ready_;
    Stream stream_;
    Interest interest_;
    std::string pending_;
};

}  // namespace runtime::api_proxy
