// The common part of the fuzz targets of both transports: however the bytes of a session are split,
// the result is the same, and contains no more bytes than were sent.
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

// Reads the bytes from the client, whose number is in the first byte, and then those from the
// server.
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
    // If there was a problem, output before it may depend on how the bytes were split.
    return problem ? *problem : out + output;
}

// Compares two splits. `open` returns a new reader.
template <typename Open>
void check_streams(const std::uint8_t* data, std::size_t size, const Open& open) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    CHECK(read_streams(*open(), bytes, 1) == read_streams(*open(), bytes, 4096));
}

}  // namespace runtime::recording
