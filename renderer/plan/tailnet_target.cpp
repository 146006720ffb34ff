#include "renderer/plan/tailnet_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/contract/annotations.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/grammar.h"

namespace renderer::plan {

namespace {

// Returns the host in a URL, or what is before a port or a prefix length.
std::string_view bare_host(std::string_view text) {
    const std::size_t scheme = text.find("://");
    text.remove_prefix(scheme == std::string_view::npos ? 0 : scheme + 3);
    const bool is_v6 = text.find(':') != text.rfind(':');
    return text.substr(0, text.find_first_of(is_v6 ? "/" : "/:"));
}

void check_target_address(const classify::ServiceInput& service, std::string_view key,
                          std::string_view hint, Diagnostics& diagnostics) {
    const std::string_view address = annotation_text(service, key);
    if (!address.empty() && !ip_family(address, true)) {
        classify::about(service, diagnostics)
            .error("invalid-tailnet-ip", service.annotation(key)->pos(),
                   fmt::format("invalid IP address \"{}\"", address))
            .expected("an address such as \"100.64.0.7\"")
            .hint(ip_family(bare_host(address), true)
                      ? fmt::format("write \"{}\"", bare_host(address))
                      : std::string(hint));
    }
}

}  // namespace

const Value* tailnet_target(const classify::ServiceInput& service) {
    for (const std::string_view key :
         {annotation::kTailnetIp, annotation::kOldTailnetIp, annotation::kTailnetFqdn}) {
        if (!annotation_text(service, key).empty()) {
            return service.annotation(key);
        }
    }
    return nullptr;
}

bool is_magic_dns_name(std::string_view name) {
    constexpr std::string_view kEnd = ".ts.net";
    if (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    if (!name.ends_with(kEnd)) {
        return false;
    }
    name.remove_suffix(kEnd.size());
    const std::size_t dot = name.find('.');
    const auto is_part = [](std::string_view part) {
        return !part.empty() &&
               std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-'; });
    };
    return dot != std::string_view::npos && is_part(name.substr(0, dot)) &&
           is_part(name.substr(dot + 1));
}

void check_tailnet_target(const classify::ServiceInput& service, std::string_view hint,
                          Diagnostics& diagnostics) {
    const std::string_view fqdn = annotation_text(service, annotation::kTailnetFqdn);
    if (!fqdn.empty() && !annotation_text(service, annotation::kTailnetIp).empty()) {
        classify::about(service, diagnostics)
            .error("egress-target-conflict", service.annotation(annotation::kTailnetFqdn)->pos(),
                   fmt::format("only one of \"{}\" and \"{}\" can be set", annotation::kTailnetIp,
                               annotation::kTailnetFqdn))
            .expected("one target at most")
            .hint(hint);
    }
    if (!fqdn.empty() && !is_magic_dns_name(fqdn)) {
        classify::about(service, diagnostics)
            .error("invalid-tailnet-fqdn", service.annotation(annotation::kTailnetFqdn)->pos(),
                   fmt::format("invalid device name \"{}\"", fqdn))
            .expected("a name such as \"db.tail1234.ts.net\"")
            .hint(is_magic_dns_name(bare_host(fqdn)) ? fmt::format("write \"{}\"", bare_host(fqdn))
                                                     : std::string(hint));
    }
    check_target_address(service, annotation::kTailnetIp, hint, diagnostics);
}

}  // namespace renderer::plan
