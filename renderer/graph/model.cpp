#include "renderer/graph/model.h"

#include <fmt/format.h>

#include "renderer/base/printable.h"

namespace renderer::graph {
namespace {

constexpr std::size_t kShownLabels = 3;

constexpr std::array<KindInfo, kNodeKinds> kInfos = {{
    {"internet", "internet", 0},
    {"tailnet", "tailnet", 1},
    {"tailnet-target", "tailnet target", 1},
    {"device", "device", 2},
    {"tailscale-service", "Tailscale Service", 2},
    {"proxy", "proxy", 3},
    {"service", "Service", 4},
    {"kubernetes-api", "Kubernetes API", 4},
    {"workload", "workload", 5},
    {"pods", "pods", 5},
    {"route", "route", 6},
    {"exit-node", "exit node", 6},
    {"app-connector", "app connector", 6},
    {"dns-name", "DNS name", 6},
    {"storage", "storage", 6},
}};

}  // namespace

KindInfo Node::info() const {
    KindInfo info = kInfos[static_cast<std::size_t>(kind)];
    if (pods != nullptr) {
        info.id = pods->id;
        info.caption = pods->caption;
    }
    return info;
}

std::string_view word_of(Change change) {
    constexpr std::array<std::string_view, 4> kWords = {"", "added", "removed", "changed"};
    return kWords[static_cast<std::size_t>(change)];
}

std::string Edge::text() const {
    return some_of(labels, labels.size() > kShownLabels ? kShownLabels - 1 : kShownLabels);
}

}  // namespace renderer::graph
