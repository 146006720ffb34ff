// Heads of HTTP/1.1 messages, read so strictly that no other reader can see something else in the
// same bytes: a line ends with CRLF, a name is a token with the colon right behind it, there is one
// Host and one way to tell the length of a body. What is read stays in the caller's buffer.
// Sources: RFC 9110 sections 5 and 7, RFC 9112 sections 2 to 6, 11.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/api_proxy/fault.h"

namespace runtime::api_proxy {

inline constexpr std::size_t kLargestHead = std::size_t{32} * 1024;
inline constexpr std::size_t kMostFields = 200;

// Where the first head of these bytes ends, behind the empty line; 0: not within them. `seen` bytes
// were looked at before.
struct HeadEnd {
    std::size_t size = 0;
    std::optional<Fault> fault = {};
};
HeadEnd find_head_end(std::string_view bytes, std::size_t seen = 0);

struct HeadField {
    std::string_view name, value;  // the value without space around it
};

enum class Protocol : std::uint8_t { None, WebSocket, Spdy };

struct Body {
    enum class Kind : std::uint8_t { None, Length, Chunked, UntilClose };
    Kind kind = Kind::None;
    std::uint64_t length = 0;
};

struct RequestHead {
    std::string_view method, target;
    std::vector<HeadField> fields;            // all of them, in order
    std::vector<std::string_view> nominated;  // by Connection, besides what is known
    Body body;
    bool keeps_alive = true;
    bool has_expectation = false;  // 100-continue
    Protocol upgrade = Protocol::None;
};

struct ResponseHead {
    int status = 0;
    std::string_view reason;
    std::vector<HeadField> fields;
    std::vector<std::string_view> nominated;
    Body body;
    bool keeps_alive = true;
    Protocol upgrade = Protocol::None;  // of 101
};

// Of a whole head, with the empty line.
std::variant<RequestHead, Fault> parse_request(std::string_view head);
// `method` is that of the request.
std::variant<ResponseHead, Fault> parse_response(std::string_view head, std::string_view method);

// The first line of a response's head, or as much of it as a message shows.
std::string_view status_line(std::string_view head);

bool equals_ignoring_case(std::string_view a, std::string_view b);  // of ASCII
// In lower case, and with "-" for "_", which some servers take for the same.
std::string normal_name(std::string_view name);
// Whether normal_name(name) is this.
bool is_named(std::string_view name, std::string_view normal);
bool is_token(std::string_view text);
// A value that any server reads as the same bytes: without control characters, and without space at
// either end.
bool is_field_value(std::string_view text);
// The value of the only field of that name; no value: there is none, or more than one.
std::optional<std::string_view> find_field(const std::vector<HeadField>& fields,
                                           std::string_view name);

}  // namespace runtime::api_proxy
