#include "runtime/api_proxy/head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "renderer/base/ascii.h"

namespace runtime::api_proxy {

namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                      "PATCH", "DELETE", "OPTIONS"};
// Fields that Connection must not name: without them it would be another message.
constexpr std::array<std::string_view, 9> kNeverNominated = {
    "host",          "content-length",  "transfer-encoding",
    "authorization", "cookie",          "content-type",
    "expect",        "x-forwarded-for", "x-stream-protocol-version"};

// Indexed by byte.
constexpr std::array<bool, 256> kTokenChars = [] {
    std::array<bool, 256> out = {};
    for (std::size_t byte = 0; byte < out.size(); ++byte) {
        const char c = static_cast<char>(byte);
        out.at(byte) = renderer::is_alphanumeric(c) ||
                       std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    }
    return out;
}();

bool is_token_char(char c) {
    return kTokenChars[static_cast<unsigned char>(c)];
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

bool is_visible(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7F;
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
    constexpr std::size_t kMostDigits = 18;
    std::uint64_t length = 0;
    if (text.empty() || text.size() > kMostDigits ||
        !std::ranges::all_of(text, renderer::is_digit)) {
        return std::nullopt;
    }
    std::from_chars(text.data(), text.data() + text.size(), length);
    return length;
}

// Checks the characters of a reg-name, an IPv4 address or an IPv6 address in brackets, with a port.
bool is_host(std::string_view text) {
    const auto is_host_char = [](char c) {
        return renderer::is_alphanumeric(c) ||
               std::string_view("-._~:[]").find(c) != std::string_view::npos;
    };
    return !text.empty() && std::ranges::all_of(text, is_host_char);
}

// Takes one line off the front of `rest`, without its CRLF.
std::variant<std::string_view, Fault> take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos || end == 0 || rest[end - 1] != '\r') {
        return Fault::BareLineEnd;
    }
    const std::string_view line = rest.substr(0, end - 1);
    rest.remove_prefix(end + 1);
    if (line.find('\r') != std::string_view::npos) {
        return Fault::BareLineEnd;
    }
    return line;
}

std::optional<Fault> parse_fields(std::string_view rest, std::vector<HeadField>& out) {
    constexpr std::size_t kUsual = 16;
    out.reserve(kUsual);
    while (true) {
        const auto taken = take_line(rest);
        if (const Fault* fault = std::get_if<Fault>(&taken)) {
            return *fault;
        }
        const std::string_view line = std::get<std::string_view>(taken);
        if (line.empty()) {
            return rest.empty() ? std::nullopt : std::optional(Fault::BareLineEnd);
        }
        if (out.size() == kMostFields) {
            return Fault::TooManyFields;
        }
        if (is_blank(line.front())) {
            return Fault::FoldedLine;
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
            return Fault::FieldName;
        }
        const std::string_view value = trim(line.substr(colon + 1));
        if (std::ranges::any_of(value, is_control)) {
            return Fault::FieldValue;
        }
        out.push_back({line.substr(0, colon), value});
    }
}

struct Framing {
    const HeadField* length = nullptr;
    const HeadField* encoding = nullptr;
    const HeadField* upgrade = nullptr;
    bool has_close = false, has_upgrade = false;
};

// Returns false for fields that the proxy sets or strips itself, that frame the message, or that
// select the protocol of a session.
bool may_be_nominated(std::string_view name) {
    const std::string normal = normal_name(name);
    return std::ranges::find(kNeverNominated, normal) == kNeverNominated.end() &&
           !normal.starts_with("impersonate") && !normal.starts_with("sec-websocket-");
}

std::optional<Fault> read_connection(std::string_view value, Framing& framing,
                                     std::vector<std::string_view>& nominated) {
    while (true) {
        const std::size_t comma = value.find(',');
        const std::string_view word = trim(value.substr(0, comma));
        if (!is_token(word) || !may_be_nominated(word)) {
            return Fault::Connection;
        }
        if (equals_ignoring_case(word, "close")) {
            framing.has_close = true;
        } else if (equals_ignoring_case(word, "upgrade")) {
            framing.has_upgrade = true;
        } else if (!equals_ignoring_case(word, "keep-alive")) {
            nominated.push_back(word);
        }
        if (comma == std::string_view::npos) {
            return std::nullopt;
        }
        value.remove_prefix(comma + 1);
    }
}

// Reads the fields that frame a request or response. Each may occur only once.
std::optional<Fault> read_framing(const std::vector<HeadField>& fields, Framing& framing,
                                  std::vector<std::string_view>& nominated) {
    for (const HeadField& field : fields) {
        const auto is = [&](std::string_view name) {
            return equals_ignoring_case(field.name, name);
        };
        const HeadField** place = is("content-length")      ? &framing.length
                                  : is("transfer-encoding") ? &framing.encoding
                                  : is("upgrade")           ? &framing.upgrade
                                                            : nullptr;
        if (place != nullptr) {
            if (*place != nullptr) {
                return is("content-length")      ? Fault::ContentLength
                       : is("transfer-encoding") ? Fault::TransferEncoding
                                                 : Fault::Upgrade;
            }
            *place = &field;
        } else if (is("connection")) {
            if (const auto fault = read_connection(field.value, framing, nominated)) {
                return fault;
            }
        }
    }
    if (framing.length != nullptr && framing.encoding != nullptr) {
        return Fault::TwoLengths;
    }
    if (framing.encoding != nullptr && !equals_ignoring_case(framing.encoding->value, "chunked")) {
        return Fault::TransferEncoding;
    }
    return std::nullopt;
}

std::optional<Fault> read_body(const Framing& framing, Body& body) {
    if (framing.encoding != nullptr) {
        body.kind = Body::Kind::Chunked;
    } else if (framing.length != nullptr) {
        const auto length = parse_length(framing.length->value);
        if (!length) {
            return Fault::ContentLength;
        }
        body = {*length == 0 ? Body::Kind::None : Body::Kind::Length, *length};
    }
    return std::nullopt;
}

std::optional<Protocol> protocol_of(std::string_view upgrade) {
    return equals_ignoring_case(upgrade, "websocket")  ? std::optional(Protocol::WebSocket)
           : equals_ignoring_case(upgrade, "spdy/3.1") ? std::optional(Protocol::Spdy)
                                                       : std::nullopt;
}

std::optional<Fault> read_request_line(std::string_view line, RequestHead& out) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) {
        return Fault::RequestLine;
    }
    out.method = line.substr(0, first);
    out.target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if (!is_token(out.method)) {
        return Fault::RequestLine;
    }
    if (version != "HTTP/1.1") {
        return Fault::Version;
    }
    if (std::ranges::find(kMethods, out.method) == kMethods.end()) {
        return Fault::Method;
    }
    if (!out.target.starts_with('/') || !std::ranges::all_of(out.target, is_visible) ||
        out.target.find('#') != std::string_view::npos) {
        return Fault::Target;
    }
    return std::nullopt;
}

// An upgrade has no body: nothing may follow before the server has agreed.
std::optional<Fault> read_upgrade(const Framing& framing, RequestHead& out) {
    if (framing.upgrade == nullptr || !framing.has_upgrade) {
        // One header without the other requests nothing, and neither is forwarded.
        return std::nullopt;
    }
    const auto protocol = protocol_of(framing.upgrade->value);
    if (!protocol || out.body.kind != Body::Kind::None || framing.encoding != nullptr ||
        (*protocol == Protocol::WebSocket && out.method != "GET") ||
        (*protocol == Protocol::Spdy && out.method != "POST" && out.method != "GET")) {
        return Fault::Upgrade;
    }
    out.upgrade = *protocol;
    return std::nullopt;
}

std::optional<Fault> read_request_fields(RequestHead& out) {
    int hosts = 0;
    for (const HeadField& field : out.fields) {
        if (equals_ignoring_case(field.name, "host")) {
            ++hosts;
            if (!is_host(field.value)) {
                return Fault::Host;
            }
        } else if (equals_ignoring_case(field.name, "expect")) {
            if (out.has_expectation || !equals_ignoring_case(field.value, "100-continue")) {
                return Fault::Expectation;
            }
            out.has_expectation = true;
        } else if (equals_ignoring_case(field.name, "trailer")) {
            return Fault::Trailer;
        }
    }
    if (hosts != 1) {
        return Fault::Host;
    }
    Framing framing;
    if (const auto fault = read_framing(out.fields, framing, out.nominated)) {
        return fault;
    }
    if (const auto fault = read_body(framing, out.body)) {
        return fault;
    }
    out.keeps_alive = !framing.has_close;
    return read_upgrade(framing, out);
}

std::optional<Fault> read_status_line(std::string_view line, ResponseHead& out, bool& is_old) {
    constexpr std::size_t kReason = 13;  // after "HTTP/1.1 200 "
    is_old = line.starts_with("HTTP/1.0 ");
    if ((!is_old && !line.starts_with("HTTP/1.1 ")) || line.size() < kReason - 1 ||
        !std::ranges::all_of(line.substr(9, 3), renderer::is_digit) ||
        (line.size() >= kReason && line[kReason - 1] != ' ') ||
        std::ranges::any_of(line, is_control)) {
        return Fault::StatusLine;
    }
    std::from_chars(line.data() + 9, line.data() + 12, out.status);
    out.reason = line.size() > kReason ? line.substr(kReason) : std::string_view();
    return out.status < 100 || out.status > 599 ? std::optional(Fault::StatusLine) : std::nullopt;
}

}  // namespace

std::string_view status_line(std::string_view head) {
    constexpr std::size_t kShown = 50;
    return head.substr(0, std::min(head.find('\r'), kShown));
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](char x, char y) { return renderer::lower_case(x) == renderer::lower_case(y); });
}

std::string normal_name(std::string_view name) {
    std::string out = renderer::lower_case(name);
    std::ranges::replace(out, '_', '-');
    return out;
}

bool is_named(std::string_view name, std::string_view normal) {
    return std::ranges::equal(name, normal, [](char c, char wanted) {
        return (c == '_' ? '-' : renderer::lower_case(c)) == wanted;
    });
}

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_field_value(std::string_view text) {
    return !text.empty() && trim(text).size() == text.size() &&
           std::ranges::none_of(text, is_control) && text.find('\t') == std::string_view::npos;
}

std::optional<std::string_view> find_field(const std::vector<HeadField>& fields,
                                           std::string_view name) {
    std::optional<std::string_view> out;
    for (const HeadField& field : fields) {
        if (equals_ignoring_case(field.name, name)) {
            if (out) {
                return std::nullopt;
            }
            out = field.value;
        }
    }
    return out;
}

HeadEnd find_head_end(std::string_view bytes, std::size_t seen) {
    for (std::size_t at = bytes.find('\n', seen); at != std::string_view::npos;
         at = bytes.find('\n', at + 1)) {
        if (at == 0 || bytes[at - 1] != '\r') {
            return {.fault = Fault::BareLineEnd};
        }
        if (at + 1 > kLargestHead) {
            return {.fault = Fault::HeadTooLarge};
        }
        if (at >= 3 && bytes.substr(at - 3, 4) == "\r\n\r\n") {
            return {.size = at + 1};
        }
    }
    return {.fault =
                bytes.size() >= kLargestHead ? std::optional(Fault::HeadTooLarge) : std::nullopt};
}

std::variant<RequestHead, Fault> parse_request(std::string_view head) {
    RequestHead out;
    const auto line = take_line(head);
    if (const Fault* fault = std::get_if<Fault>(&line)) {
        return *fault;
    }
    if (const auto fault = read_request_line(std::get<std::string_view>(line), out)) {
        return *fault;
    }
    if (const auto fault = parse_fields(head, out.fields)) {
        return *fault;
    }
    if (const auto fault = read_request_fields(out)) {
        return *fault;
    }
    return out;
}

std::variant<ResponseHead, Fault> parse_response(std::string_view head, std::string_view method) {
    ResponseHead out;
    bool is_old = false;
    const auto line = take_line(head);
    if (const Fault* fault = std::get_if<Fault>(&line)) {
        return *fault;
    }
    if (const auto fault = read_status_line(std::get<std::string_view>(line), out, is_old)) {
        return *fault;
    }
    if (const auto fault = parse_fields(head, out.fields)) {
        return *fault;
    }
    Framing framing;
    if (const auto fault = read_framing(out.fields, framing, out.nominated)) {
        return *fault;
    }
    out.keeps_alive = !framing.has_close && !is_old;
    if (out.status == 101) {
        const auto protocol = framing.upgrade == nullptr || !framing.has_upgrade
                                  ? std::nullopt
                                  : protocol_of(framing.upgrade->value);
        if (!protocol || is_old) {
            return Fault::Upgrade;
        }
        out.upgrade = *protocol;
        return out;
    }
    const bool has_body =
        method != "HEAD" && out.status >= 200 && out.status != 204 && out.status != 304;
    if (!has_body) {
        return out;
    }
    if (framing.encoding == nullptr && framing.length == nullptr) {
        out.body.kind = Body::Kind::UntilClose;
        out.keeps_alive = false;
        return out;
    }
    if (is_old && framing.encoding != nullptr) {
        return Fault::TransferEncoding;
    }
    if (const auto fault = read_body(framing, out.body)) {
        return *fault;
    }
    return out;
}

}  // namespace runtime::api_proxy
