#include "renderer/plan/service_index.h"

#include <algorithm>
#include <tuple>

#include "renderer/plan/parents.h"

namespace renderer::plan {

namespace {

std::tuple<std::string_view, std::string_view> key(const classify::ServiceInput* service) {
    return {service->ns, service->name};
}

}  // namespace

ServiceIndex::ServiceIndex(const classify::Inventory& inventory) {
    sorted_.reserve(inventory.services.size());
    for (const classify::ServiceInput& service : inventory.services) {
        sorted_.push_back(&service);
    }
    std::ranges::stable_sort(sorted_,
                             [](const classify::ServiceInput* a, const classify::ServiceInput* b) {
                                 return std::tuple_cat(key(a), std::tuple(is_fact(*a->doc))) <
                                        std::tuple_cat(key(b), std::tuple(is_fact(*b->doc)));
                             });
}

const classify::ServiceInput* ServiceIndex::find(std::string_view ns, std::string_view name) const {
    const auto found = std::ranges::lower_bound(sorted_, std::tuple(ns, name), {}, key);
    return found != sorted_.end() && key(*found) == std::tuple(ns, name) ? *found : nullptr;
}

std::vector<std::string_view> ServiceIndex::namespaces_of(std::string_view name) const {
    std::vector<std::string_view> found;
    for (const classify::ServiceInput* service : sorted_) {
        if (service->name == name && !service->ns.empty() &&
            (found.empty() || found.back() != service->ns)) {
            found.push_back(service->ns);
        }
    }
    return found;
}

}  // namespace renderer::plan
