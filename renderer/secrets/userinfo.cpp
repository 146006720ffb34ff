#include "renderer/secrets/userinfo.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace renderer::secrets {

namespace {

bool ends_in_port(std::string_view authority) {
    const bool is_ipv6 =
        authority.starts_with('[') && authority.find(']') != std::string_view::npos;
    const auto colon = authority.find(':', is_ipv6 ? authority.find(']') : 0);
    if (colon == std::string_view::npos) {
        return true;  // the default port
    }
    const std::string_view port = authority.substr(colon + 1);
    return !port.empty() && port.size() <= 5 && std::ranges::all_of(port, is_digit);
}

// True for `user:password@host.example.com`, but not for an image with a digest.
bool has_bare_userinfo(std::string_view text) {
    for (auto at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
        const std::string_view before = text.substr(0, at);
        const std::string_view user = before.substr(before.find_last_of(" \t\"'/{[,") + 1);
        const std::string_view after = text.substr(at + 1);
        const std::string_view host = after.substr(0, after.find_first_of(" \t\r\n\"'/,}]:"));
        if (user.find(':') != std::string_view::npos &&
            (host == "localhost" || host.find('.') != std::string_view::npos)) {
            return true;
        }
    }
    return false;
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

std::string without_url_credentials(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t at = std::min(text.find("://"), text.size());
        out += text.substr(0, at);
        text.remove_prefix(at);
        std::string_view url = text.substr(0, text.find_first_of(kWordEnds));
        text.remove_prefix(url.size());
        bool is_cut = false;
        for (auto user = find_userinfo(url); !user.empty(); user = find_userinfo(url)) {
            url.remove_prefix(static_cast<std::size_t>(user.data() - url.data()) + user.size() + 1);
            is_cut = true;
        }
        out += is_cut ? "://" : "";
        out += url.substr(0, url.find_first_of("?#"));
    }
    return out;
}

std::string shown_address(std::string_view address) {
    constexpr std::string_view kScheme = "oci://";
    if (address.find("://") != std::string_view::npos) {
        return without_url_credentials(address);
    }
    return without_url_credentials(std::string(kScheme).append(address)).substr(kScheme.size());
}

bool may_show_url_credentials(std::string_view text) {
    constexpr std::array<std::string_view, 4> kPlain = {"ref", "version", "timeout", "submodules"};
    if (!find_userinfo(text).empty() || has_bare_userinfo(text)) {
        return true;
    }
    for (auto at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
        const std::string_view url = text.substr(at, text.find_first_of(kWordEnds, at) - at);
        at += url.size();
        const std::size_t query = url.find('?');
        if (query == std::string_view::npos) {
            continue;
        }
        for (const std::string_view parameter : split(url.substr(query + 1), '&')) {
            const std::string_view name = parameter.substr(0, parameter.find('='));
            if (std::ranges::find(kPlain, name) == kPlain.end()) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace renderer::secrets
