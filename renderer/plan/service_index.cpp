#include "renderer/plan/service_index.h"

#include <algorithm>
#include <tuple>

#include "renderer/plan/parents.h"

namespace renderer {

namespace {

std::tuple<std::string_view, std::string_view> key(const ServiceInput* service) {
    return {service->ns, service->name};
}

}  // namespace

ServiceIndex::ServiceIndex(const Inventory& inventory) {
    sorted_.reserve(inventory.services.size());
    for (const ServiceInput& service : inventory.services) {
        sorted_.push_back(&service);
    }
    std::ranges::stable_sort(sorted_, [](const ServiceInput* a, const ServiceInput* b) {
        return std::tuple_cat(key(a), std::tuple(is_fact(*a->doc))) <
               std::tuple_cat(key(b), std::tuple(is_fact(*b->doc)));
    });
}

const ServiceInput* ServiceIndex::find(std::string_view ns, std::string_view name) const {
    const auto found = std::ranges::lower_bound(sorted_, std::tuple(ns, name), {}, key);
    return found != sorted_.end() && key(*found) == std::tuple(ns, name) ? *found : nullptr;
}

std::vector<std::string_view> ServiceIndex::namespaces_of(std::string_view name) const {
    std::vector<std::string_view> found;
    for (const ServiceInput* service : sorted_) {
        if (service->name == name && !service->ns.empty() &&
            (found.empty() || found.back() != service->ns)) {
            found.push_back(service->ns);
        }
    }
    return found;
}

}  // namespace renderer
