// Extracts the output of the container and the sizes of the terminal from the bytes of a session. A
// reader follows both directions of one transport. If it cannot read something exactly as
// Kubernetes' own reader does, it returns a problem, and the session cannot be recorded any
// further.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/recording/cast.h"

namespace runtime::recording {

struct StreamEvent {
    enum class Kind : std::uint8_t { Output, ErrorOutput, Resize };
    Kind kind = Kind::Output;
    std::string bytes = {};  // of output
    Size size = {};          // of a resize
};

using Problem = std::optional<std::string>;

class StreamReader {
public:
    StreamReader() = default;
    StreamReader(const StreamReader&) = delete;
    StreamReader& operator=(const StreamReader&) = delete;
    virtual ~StreamReader() = default;

    // Appends the events in the bytes to `events`.
    [[nodiscard]] virtual Problem from_client(std::string_view bytes,
                                              std::vector<StreamEvent>& events) = 0;
    [[nodiscard]] virtual Problem from_server(std::string_view bytes,
                                              std::vector<StreamEvent>& events) = 0;
};

// RFC 6455, subprotocols v4.channel.k8s.io and v5.channel.k8s.io.
std::unique_ptr<StreamReader> read_websocket();
// SPDY/3.1 as Kubernetes uses it (draft-mbelshe-httpbis-spdy-00).
std::unique_ptr<StreamReader> read_spdy();

// Parses a stream of resizes: JSON values {"Width":n,"Height":n}, one per line, in pieces.
class ResizeText {
public:
    [[nodiscard]] Problem take(std::string_view bytes, std::vector<StreamEvent>& events);
    // Parses the rest: the message is complete.
    [[nodiscard]] Problem end(std::vector<StreamEvent>& events);

private:
    std::string text_;
};

}  // namespace runtime::recording
