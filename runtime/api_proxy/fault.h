// The reasons for refusing bytes as HTTP/1.1 or as a PROXY protocol header. Each reason has one
// name, which metrics and the log use. Ambiguous input is refused, never repaired.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace runtime::api_proxy {

enum class Fault : std::uint8_t {
    BareLineEnd,  // CR or LF without the other
    HeadTooLarge,
    TooManyFields,
    RequestLine,
    Method,
    Target,
    Version,
    StatusLine,
    FoldedLine,
    FieldName,
    FieldValue,
    Host,
    ContentLength,
    TransferEncoding,
    TwoLengths,  // both Content-Length and Transfer-Encoding
    Connection,
    Upgrade,
    Expectation,
    Chunk,
    Trailer,
    ProxyHeader,
};

inline constexpr std::array<std::string_view, 21> kFaultNames = {
    "bare_line_end",   "head_too_large",
    "too_many_fields", "request_line",
    "method",          "target",
    "version",         "status_line",
    "folded_line",     "field_name",
    "field_value",     "host",
    "content_length",  "transfer_encoding",
    "two_lengths",     "connection",
    "upgrade",         "expectation",
    "chunk",           "trailer",
    "proxy_header"};
static_assert(kFaultNames.size() == static_cast<std::size_t>(Fault::ProxyHeader) + 1);

constexpr std::string_view name_of(Fault fault) {
    return kFaultNames.at(static_cast<std::size_t>(fault));
}

}  // namespace runtime::api_proxy
