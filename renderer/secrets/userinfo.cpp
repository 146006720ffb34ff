#include "renderer/secrets/userinfo.h"

#include <algorithm>

#include "renderer/base/ascii.h"

namespace renderer {

namespace {

constexpr std::string_view kWordEnds = " \t\r\n\"'";

bool ends_in_port(std::string_view authority) {
    const bool is_ipv6 =
        authority.starts_with('[') && authority.find(']') != std::string_view::npos;
    const auto colon = authority.find(':', is_ipv6 ? authority.find(']') : 0);
    if (colon == std::string_view::npos) {
        return true;  // the usual one
    }
    const std::string_view port = authority.substr(colon + 1);
    return !port.empty() && port.size() <= 5 && std::ranges::all_of(port, is_digit);
}

}  // namespace

std::string_view find_userinfo(std::string_view text) {
    for (auto at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
        at += 3;
        const std::string_view rest = text.substr(at);
        const std::string_view authority = rest.substr(0, rest.find_first_of(" \t\r\n\"'/?#"));
        std::string_view scanned = authority;
        if (authority.find('@') == std::string_view::npos && !ends_in_port(authority)) {
            scanned = rest.substr(0, rest.find_first_of(kWordEnds));
        }
        const auto end = scanned.rfind('@');
        if (end != std::string_view::npos && end > 0) {
            return scanned.substr(0, end);
        }
        at += scanned.size();
    }
    return {};
}

}  // namespace renderer
