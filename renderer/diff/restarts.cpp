#include "renderer/diff/restarts.h"

#include <algorithm>
#include <array>

#include "renderer/core/text_of.h"
#include "renderer/kube/api.h"

namespace renderer {
namespace {

// Of a StatefulSet all but these is immutable (k8s.io/kubernetes
// pkg/apis/apps/validation.ValidateStatefulSetUpdate).
constexpr std::array<std::string_view, 7> kMutable = {"spec.replicas",
                                                      "spec.ordinals",
                                                      "spec.template",
                                                      "spec.updateStrategy",
                                                      "spec.revisionHistoryLimit",
                                                      "spec.persistentVolumeClaimRetentionPolicy",
                                                      "spec.minReadySeconds"};

// Of what runs pods by a template, the selector is immutable.
constexpr std::string_view kSelector = "spec.selector";

bool is_within_path(std::string_view path, std::string_view root) {
    return path.starts_with(root) &&
           (path.size() == root.size() || path[root.size()] == '.' || path[root.size()] == '[');
}

bool is_immutable(std::string_view kind, std::string_view path) {
    if (kind == "StatefulSet") {
        const bool is_mutable = std::ranges::any_of(
            kMutable, [&](std::string_view root) { return is_within_path(path, root); });
        return path.starts_with("spec.") && !is_mutable;
    }
    return (kind == "Deployment" || kind == "DaemonSet" || kind == "ReplicaSet") &&
           is_within_path(path, kSelector);
}

bool runs_pods(std::string_view kind, const Value& after) {
    return kind != "Job" && after.at({"spec", "template", "spec", "containers"}) != nullptr;
}

}  // namespace

std::optional<Restart> restart_of(std::string_view title, const Value& after,
                                  const std::vector<FieldChange>& fields) {
    const std::string_view kind = title.substr(0, title.find('/'));
    if (!runs_pods(kind, after)) {
        return std::nullopt;
    }
    Restart restart;
    restart.workload = title;
    for (const FieldChange& field : fields) {
        if (is_immutable(kind, field.path)) {
            restart.way = RestartWay::Recreate;
        } else if (!is_within_path(field.path, kPodTemplate)) {
            continue;
        }
        restart.fields.push_back(field);
        if (field.path.find(kConfigHashAnnotation) != std::string::npos) {
            restart.reasons.emplace_back(
                "config-hash: tailscaled's configuration changed in a field that it only reads at "
                "start");
        }
    }
    if (restart.fields.empty()) {
        return std::nullopt;
    }
    if (restart.way == RestartWay::Rolling &&
        text_of(after, {"spec", "updateStrategy", "type"}) == "OnDelete") {
        restart.way = RestartWay::OnDelete;
    }
    const Value* replicas = after.at({"spec", "replicas"});
    if (replicas != nullptr && replicas->is_number()) {
        restart.pods = replicas->as_int();
    } else if (kind != "DaemonSet") {
        restart.pods = 1;
    }
    return restart;
}

}  // namespace renderer
