// Formats a recording as asciicast v2: one JSON value per line. Pure; the caller has the clock.
// Sources: https://docs.asciinema.org/manual/asciicast/v2, tailscale v1.96.5
// sessionrecording/header.go.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runtime::recording {

struct CastHeader {
    std::int64_t timestamp = 0;  // Unix time in seconds
    std::string command = {};    // empty: none
    std::string node = {}, node_id = {};
    std::vector<std::string> tags = {};  // of a tagged device; otherwise user is set
    std::string user = {};
    std::int64_t user_id = 0;
    std::string pod = {}, ns = {}, container = {}, session_type = {};
};

struct Size {
    int columns = 0, rows = 0;
};

using Since = std::chrono::milliseconds;  // since the start of the recording

std::string header_line(const CastHeader& header, Size size);
std::string output_line(Since since, std::string_view text);  // `text` has whole characters
std::string resize_line(Since since, Size size);

// Reassembles characters of output that arrives in pieces. The bytes of an incomplete character
// wait for the rest.
class WholeText {
public:
    // Returns the complete characters. Invalid UTF-8 becomes U+FFFD.
    std::string take(std::string_view bytes);
    std::string rest();  // of an incomplete character at the end

private:
    std::string waiting_;
};

// Returns text from a client, which may be invalid UTF-8, with U+FFFD for invalid bytes.
std::string valid_text(std::string_view text);

}  // namespace runtime::recording
