// The order of objects in a stream: Helm's InstallOrder by kind, unknown kinds after it in
// alphabetical order, then namespace and name. Helm 3 applies what a post-renderer prints in that
// very order, so Helm's own is the only safe one. Source: helm pkg/release/v1/util/kind_sorter.go.
#pragma once

#include <compare>
#include <string_view>

namespace renderer {

// Views must outlive the key. The API version only separates kinds of equal name and objects of
// equal name.
struct OrderKey {
    int rank = 0;  // in Helm's InstallOrder; one past the last for a kind that Helm does not know
    std::string_view kind;  // empty when the rank says it
    std::string_view ns, name, api_version;

    friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

OrderKey order_key(std::string_view api_version, std::string_view kind, std::string_view ns,
                   std::string_view name);

}  // namespace renderer
