#include "renderer/diff/absences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace renderer::diff {
namespace {

bool becomes_public(const ClusterComparison& cluster) {
    return std::ranges::any_of(cluster.devices.reach, [](const ReachChange& change) {
        return change.offer.is_public && change.added;
    });
}

bool loses_a_device(const ClusterComparison& cluster) {
    return std::ranges::any_of(cluster.devices.changes, [](const DeviceChange& change) {
        return change.edit == DeviceEdit::Removed || change.edit == DeviceEdit::Replaced;
    });
}

bool changes_access(const ClusterComparison& cluster) {
    return !cluster.access.empty();
}

bool restarts_pods(const ClusterComparison& cluster) {
    return !cluster.objects.restarts.empty();
}

}  // namespace

std::string absences_of(const Comparison& comparison) {
    if (comparison.is_equal() && comparison.has_equal_objects()) {
        return {};
    }
    std::vector<std::string_view> absences;
    const auto add_unless = [&](auto happens, std::string_view absence) {
        if (std::ranges::none_of(comparison.clusters, happens)) {
            absences.push_back(absence);
        }
    };
    add_unless(becomes_public, "nothing becomes public");
    const bool is_compared = comparison.access && comparison.access->not_compared.empty();
    const auto waits_for_policy = [&](const ClusterComparison& cluster) {
        return std::ranges::any_of(cluster.devices.reach, [&](const ReachChange& change) {
            return lacked_for(comparison, cluster.cluster, change) != nullptr;
        });
    };
    if (is_compared && comparison.access->unjudged.empty() &&
        std::ranges::none_of(comparison.clusters, waits_for_policy)) {
        add_unless(changes_access, "no one gains or loses access");
    }
    add_unless(loses_a_device, "no device is removed or replaced");
    add_unless(restarts_pods, "no pod restarts");
    if (is_compared && comparison.access->lacking.empty()) {
        absences.emplace_back("the tailnet policy needs no new entry");
    }
    return fmt::format("{}", fmt::join(absences, ", "));
}

}  // namespace renderer::diff
