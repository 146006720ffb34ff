// The order of objects in a stream: Helm's InstallOrder by kind, then unknown kinds alphabetically,
// then namespace and name. Helm 3 applies the output of a post-renderer in exactly that order, so
// only Helm's own is safe. Source: helm pkg/release/v1/util/kind_sorter.go.
#pragma once

#include <compare>
#include <string_view>

namespace renderer::emit {

// Views must outlive the key. The API version only separates kinds or objects of equal name.
struct OrderKey {
    int rank = 0;  // in Helm's InstallOrder; one past the last for a kind that is not in it
    std::string_view kind;  // empty if the rank determines it
    std::string_view ns, name, api_version;

    friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

OrderKey order_key(std::string_view api_version, std::string_view kind, std::string_view ns,
                   std::string_view name);

}  // namespace renderer::emit
