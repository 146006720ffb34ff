// What fuzz targets of both transports do: whatever passes in a session, and however it is cut, the
// same is told of it, and no more than has passed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/check.h"
#include "runtime/recording/streams.h"

namespace runtime::recording {

// What the client sends, up to a length that the first byte tells, and then what the server does.
inline std::string read_streams(StreamReader& reader, std::string_view bytes, std::size_t piece) {
    const std::size_t client = bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.front());
    std::vector<StreamEvent> events;
    Problem problem;
    for (std::size_t at = 1; at < bytes.size() && !problem;) {
        const bool is_client = at <= client;
        const std::size_t end = is_client ? std::min(client + 1, bytes.size()) : bytes.size();
        const auto part = bytes.substr(at, std::min(piece, end - at));
        problem = is_client ? reader.from_client(part, events) : reader.from_server(part, events);
        at += part.size();
    }
    std::string output;
    std::string out;
    for (const StreamEvent& event : events) {
        if (event.kind == StreamEvent::Kind::Resize) {
            out += static_cast<char>(event.size.columns);
            out += static_cast<char>(event.size.rows);
        } else {
            output += event.bytes;
        }
    }
    CHECK(output.size() <= bytes.size());
    // Output before a problem may have come in a piece that was not looked at to its end.
    return problem ? *problem : out + output;
}

// Of new readers that `open` gives.
template <typename Open>
void check_streams(const std::uint8_t* data, std::size_t size, const Open& open) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    CHECK(read_streams(*open(), bytes, 1) == read_streams(*open(), bytes, 4096));
}

}  // namespace runtime::recording
