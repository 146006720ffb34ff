// What is in a session's bytes: output of the container, and sizes of the terminal. A reader
// follows the bytes of one transport both ways as they pass; what it cannot read exactly as
// Kubernetes' own reader does is a problem, which says that the session can be recorded no further.
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

    // Appends what is in the bytes to `events`.
    [[nodiscard]] virtual Problem from_client(std::string_view bytes,
                                              std::vector<StreamEvent>& events) = 0;
    [[nodiscard]] virtual Problem from_server(std::string_view bytes,
                                              std::vector<StreamEvent>& events) = 0;
};

// RFC 6455, subprotocols v4.channel.k8s.io and v5.channel.k8s.io.
std::unique_ptr<StreamReader> read_websocket();
// SPDY/3.1 as Kubernetes uses it (draft-mbelshe-httpbis-spdy-00).
std::unique_ptr<StreamReader> read_spdy();

// A stream of resizes: JSON values {"Width":n,"Height":n}, each on a line, in pieces.
class ResizeText {
public:
    [[nodiscard]] Problem take(std::string_view bytes, std::vector<StreamEvent>& events);
    // What came is whole.
    [[nodiscard]] Problem end(std::vector<StreamEvent>& events);

private:
    std::string text_;
};

}  // namespace runtime::recording
