// Parses heads of HTTP/1.1 messages so strictly that no other reader can see something else in the
// same bytes: a line ends with CRLF, a name is a token followed by a colon, there is one Host, and
// one way to determine the length of the body. The result points into the caller's buffer.
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

// The size of the first head in the bytes, including the empty line; 0 if it does not end within
// them. The first `seen` bytes were searched by an earlier call.
struct HeadEnd {
    std::size_t size = 0;
    std::optional<Fault> fault = {};
};
HeadEnd find_head_end(std::string_view bytes, std::size_t seen = 0);

struct HeadField {
    std::string_view name, value;  // the value without surrounding space
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
    std::vector<std::string_view> nominated;  // by Connection, besides the known options
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
    Protocol upgrade = Protocol::None;  // for status 101
};

// Parses a complete head, including the empty line.
std::variant<RequestHead, Fault> parse_request(std::string_view head);
// `method` is the method of the request.
std::variant<ResponseHead, Fault> parse_response(std::string_view head, std::string_view method);

// Returns the first line of a response's head, shortened for messages.
std::string_view status_line(std::string_view head);

bool equals_ignoring_case(std::string_view a, std::string_view b);  // for ASCII
// Returns the name in lower case and with "-" for "_", which some servers treat as equal.
std::string normal_name(std::string_view name);
// Returns true if normal_name(name) equals `normal`.
bool is_named(std::string_view name, std::string_view normal);
bool is_token(std::string_view text);
// Returns true if every server reads the value as the same bytes: it is not empty, has no control
// characters, and no space at either end.
bool is_field_value(std::string_view text);
// Returns the value of the field. No value if there is no such field, or more than one.
std::optional<std::string_view> find_field(const std::vector<HeadField>& fields,
                                           std::string_view name);

}  // namespace runtime::api_proxy
