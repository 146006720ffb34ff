#include "renderer/repo/fetch/chart_address.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::repo {

namespace {

constexpr std::string_view kHttps = "https://";
constexpr std::string_view kOci = "oci://";
constexpr std::string_view kDigest = "@sha256:";
constexpr std::size_t kDigestSize = 64;

bool consists_of(std::string_view text, std::string_view others) {
    return std::ranges::all_of(text, [&](char c) {
        return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
    });
}

std::string_view scheme_of(std::string_view url) {
    const std::size_t end = url.find("://");
    return end == std::string_view::npos || !consists_of(url.substr(0, end), "+.-")
               ? std::string_view()
               : url.substr(0, end);
}

std::string_view without_digest(std::string_view url) {
    const std::size_t at = url.find(kDigest);
    return url.starts_with(kOci) && at != std::string_view::npos &&
                   url.size() == at + kDigest.size() + kDigestSize
               ? url.substr(0, at)
               : url;
}

struct Authority {
    std::string_view host, port;
};

Authority authority_of(std::string_view url) {
    url.remove_prefix(scheme_of(url).size() + 3);
    const std::string_view authority = url.substr(0, url.find('/'));
    const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
    const std::size_t colon = authority.find(':', std::min(bracket, authority.size()));
    const std::string_view host = authority.substr(0, colon);
    return {.host = host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2)
                                                                 : host,
            .port = colon == std::string_view::npos ? "443" : authority.substr(colon + 1)};
}

std::string refusal_of_url(std::string_view url, const HostList& hosts) {
    const std::string_view scheme = scheme_of(url);
    if (!secrets::find_userinfo(url).empty() ||
        without_digest(url).find('@') != std::string_view::npos) {
        return "an address with a user or a password in it";
    }
    if (url.find_first_of("?#") != std::string_view::npos) {
        return "an address with a query, which may hold a credential";
    }
    if (scheme == "http") {
        return "http, which is not encrypted";
    }
    if (!url.starts_with(kHttps) && !url.starts_with(kOci)) {
        return scheme.empty() ? "an address without a scheme"
                              : fmt::format("an address of {}", scheme);
    }
    if (!consists_of(url, "._~:/@%+-[]")) {
        return "an address with invalid characters";
    }
    const auto [host, port] = authority_of(url);
    if (host.empty() || !consists_of(host, ".-:") || port.empty() ||
        !std::ranges::all_of(port, is_digit)) {
        return "an address without a host";
    }
    if (is_own_machine(host)) {
        return fmt::format("host {}, which is this machine", host);
    }
    return hosts.empty() || lists_host(hosts, host)
               ? ""
               : fmt::format("host {}, which --allow-network does not list", host);
}

}  // namespace

bool ChartAddress::has_index() const {
    return !repository.empty() && !repository.starts_with(kOci);
}

std::string ChartAddress::url() const {
    if (repository.empty()) {
        return chart;
    }
    std::string_view base = repository;
    while (base.ends_with('/')) {
        base.remove_suffix(1);
    }
    return has_index() || chart.empty() ? std::string(base) : fmt::format("{}/{}", base, chart);
}

std::string refusal_of(const ChartAddress& address, const HostList& hosts) {
    if (!address.unknown.empty() || address.url().empty()) {
        return address.unknown.empty() ? "no address" : address.unknown;
    }
    if (std::string reason = refusal_of_url(address.url(), hosts); !reason.empty()) {
        return reason;
    }
    if (address.has_index() &&
        (address.chart.empty() || address.chart.find("..") != std::string::npos ||
         !consists_of(address.chart, "._/-"))) {
        return "a chart name with invalid characters";
    }
    if (!consists_of(address.version, ".+-_*^~<>=!|, ")) {
        return "a version with invalid characters";
    }
    return {};
}

}  // namespace renderer::repo
