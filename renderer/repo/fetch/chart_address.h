// Where a chart that is not at hand could be fetched from, as an object of an engine says it.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "renderer/repo/fetch/network_address.h"

namespace renderer {

struct ChartAddress {
    std::string repository =
        {};                    // "https://charts.example.com", with an index; "oci://ghcr.io/acme",
                               // of which `chart` is a part; "" = `chart` says all
    std::string chart = {};    // a name, or an address
    std::string version = {};  // as spelled, perhaps a range; "" = the newest
    std::string unknown = {};  // why the object does not say more: "a path in a GitRepository"

    friend auto operator<=>(const ChartAddress&, const ChartAddress&) = default;

    // "oci://ghcr.io/acme/web"; of a chart with an index the repository.
    [[nodiscard]] std::string url() const;
    // The name goes to helm beside the repository.
    [[nodiscard]] bool has_index() const;
};

// Why nothing is fetched from there; "" when it may be. Shows no part of the address but its
// scheme and host: the rest may hold a credential.
std::string refusal_of(const ChartAddress& address, const HostList& hosts);

}  // namespace renderer
