// The address of a chart that is not in the tree, from an object of an engine.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "renderer/repo/fetch/network_address.h"

namespace renderer::repo {

struct ChartAddress {
    // "https://charts.example.com" has an index, "oci://ghcr.io/acme" contains `chart`; "" =
    // `chart` is the whole address.
    std::string repository = {};
    std::string chart = {};    // a name, or an address
    std::string version = {};  // as spelled, may be a range; "" = the newest
    std::string unknown = {};  // why the address is unknown: "a path in a GitRepository"

    friend auto operator<=>(const ChartAddress&, const ChartAddress&) = default;

    // Returns "oci://ghcr.io/acme/web", or the repository of a chart with an index.
    [[nodiscard]] std::string url() const;
    // True if helm gets the name of the chart and the repository separately.
    [[nodiscard]] bool has_index() const;
};

// Returns why the chart may not be fetched, or "" if it may. Shows only the scheme and host of the
// address, since the rest may contain a credential.
std::string refusal_of(const ChartAddress& address, const HostList& hosts);

}  // namespace renderer::repo
