// A chart that --allow-network has fetched: a part of the input that is not in the tree.
#pragma once

#include <compare>
#include <string>

namespace renderer::repo {

struct FetchedChart {
    std::string name, version;  // from its Chart.yaml
    std::string source;         // ChartAddress::url
    std::string digest;         // SHA-256 of the archive, in hexadecimal

    friend auto operator<=>(const FetchedChart&, const FetchedChart&) = default;
};

}  // namespace renderer::repo
