// A recording as text: asciicast v2, one JSON value a line. Pure; the clock is the caller's.
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
    std::int64_t timestamp = 0;  // seconds of Unix
    std::string command = {};    // empty: none
    std::string node = {}, node_id = {};
    std::vector<std::string> tags = {};  // of a tagged device; else its user
    std::string user = {};
    std::int64_t user_id = 0;
    std::string pod = {}, ns = {}, container = {}, session_type = {};
};

struct Size {
    int columns = 0, rows = 0;
};

using Since = std::chrono::milliseconds;  // the recording's begin

std::string header_line(const CastHeader& header, Size size);
std::string output_line(Since since, std::string_view text);  // of whole characters
std::string resize_line(Since since, Size size);

// Output comes in pieces that may end within a character: what is not whole waits for the rest.
class WholeText {
public:
    // Bytes that are no UTF-8 become U+FFFD.
    std::string take(std::string_view bytes);
    std::string rest();  // of what waits when nothing follows

private:
    std::string waiting_;
};

// What a client has written need not be UTF-8.
std::string valid_text(std::string_view text);

}  // namespace runtime::recording
