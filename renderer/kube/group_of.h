// Returns the API group of an apiVersion: "apps" for "apps/v1", "" for "v1" (the core group).
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer::inline kube {

constexpr std::string_view group_of(std::string_view api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace renderer::inline kube
