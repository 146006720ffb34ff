// What --allow-network has brought: a part of the input that no file of the tree holds.
#pragma once

#include <compare>
#include <string>

namespace renderer {

struct FetchedChart {
    std::string name, version;  // as its Chart.yaml says
    std::string source;         // ChartAddress::url
    std::string digest;         // SHA-256 of the archive, in hexadecimal digits

    friend auto operator<=>(const FetchedChart&, const FetchedChart&) = default;
};

}  // namespace renderer
