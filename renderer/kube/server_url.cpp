#include "renderer/kube/server_url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace renderer::inline kube {

namespace {

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && stop == end && port > 0;
}

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

bool may_stand_in_it(char c) {
    constexpr std::string_view kOthers = "?#@\\\"<>{}";  // RFC 3986, and no user or query
    return c > ' ' && c < '\x7f' && kOthers.find(c) == std::string_view::npos;
}

}  // namespace

bool is_server_url(std::string_view text) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (text.starts_with(scheme)) {
            const std::string_view rest = text.substr(scheme.size());
            return is_host(rest.substr(0, rest.find('/'))) &&
                   std::ranges::all_of(rest, may_stand_in_it);
        }
    }
    return false;
}

}  // namespace renderer::inline kube
