#include "runtime/base/url.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "renderer/core/ascii.h"
#include "renderer/core/server_url.h"

namespace runtime {

namespace {

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && stop == end && port > 0;
}

// HOST, HOST:PORT or [ADDRESS]:PORT.
bool is_host(std::string_view text) {
    const std::size_t bracket = text.find(']');
    if (text.starts_with('[') && bracket != std::string_view::npos) {
        const std::string_view rest = text.substr(bracket + 1);
        return bracket > 1 && (rest.empty() || (rest[0] == ':' && is_port(rest.substr(1))));
    }
    const std::size_t colon = text.find(':');
    return !text.empty() && colon != 0 && text.find_first_of("[]") == std::string_view::npos &&
           (colon == std::string_view::npos || is_port(text.substr(colon + 1)));
}

}  // namespace

std::optional<std::string> server_url(std::string_view text) {
    while (text.ends_with('/')) {
        text.remove_suffix(1);
    }
    const bool has_others = text.find_first_of("?#@\\\"<>") != std::string_view::npos;
    return is_host(renderer::server_of_url(text)) && !has_others ? std::optional(std::string(text))
                                                                 : std::nullopt;
}

std::string escape_url(std::string_view text) {
    constexpr std::string_view kMarks = "-_.~";
    std::string out;
    for (const char byte : text) {
        const bool plain =
            renderer::is_alphanumeric(byte) || kMarks.find(byte) != std::string_view::npos;
        if (plain) {
            out += byte;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
        }
    }
    return out;
}

}  // namespace runtime
