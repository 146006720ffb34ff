#include "renderer/graph/pods.h"

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/core/diagnostics.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/group_of.h"

namespace renderer::graph {
namespace {

struct PodKind {
    std::string_view group, name;
};
constexpr std::array kPodKinds = {
    PodKind{"", "Pod"},
    PodKind{"", "ReplicationController"},
    PodKind{"apps", "DaemonSet"},
    PodKind{"apps", "Deployment"},
    PodKind{"apps", "ReplicaSet"},
    PodKind{"apps", "StatefulSet"},
    PodKind{"batch", "CronJob"},
    PodKind{"batch", "Job"},
    PodKind{"argoproj.io", "Rollout"},
};

bool has_pods(const Document& document) {
    const std::string_view group = group_of(text_of(document.api_version));
    const std::string_view kind = text_of(document.kind);
    return std::ranges::any_of(
        kPodKinds, [&](const PodKind& one) { return one.group == group && one.name == kind; });
}

const Value* pod_labels(const Value& root, std::string_view kind) {
    return kind == "Pod" ? root.at({"metadata", "labels"})
           : kind == "CronJob"
               ? root.at({"spec", "jobTemplate", "spec", "template", "metadata", "labels"})
               : root.at({"spec", "template", "metadata", "labels"});
}

}  // namespace

PodIndex::PodIndex(const load::Loaded& loaded, const std::set<std::string>& namespaces) {
    Diagnostics ignored;  // what cannot be read is foreign, and reported where that matters
    for (const Document& document : loaded.documents) {
        const std::string_view name = text_of(document.name);
        if (!document.reachable || name.empty() || !has_pods(document) ||
            !namespaces.contains(document.effective_namespace)) {
            continue;
        }
        const Value root = load::read_document(loaded, document, ignored);
        PodOwner owner{
            .kind = std::string(text_of(document.kind)), .name = std::string(name), .labels = {}};
        for (const Member& label : members_of(pod_labels(root, owner.kind))) {
            owner.labels.emplace(label.name(), spelling_of(label.value));
        }
        add(document.effective_namespace, owner);
    }
}

void PodIndex::add(const std::string& ns, const PodOwner& owner) {
    auto [place, is_new] = owners_.try_emplace({ns, owner.kind, owner.name}, owner);
    if (is_new) {
        for (const auto& [key, value] : place->second.labels) {
            by_label_[{ns, key, value}].push_back(&place->second);
        }
    }
}

std::vector<const PodOwner*> PodIndex::selected(std::string_view ns, const Value* selector) const {
    const std::span<const Member> wanted = members_of(selector);
    if (wanted.empty()) {
        return {};
    }
    const auto found = by_label_.find({std::string(ns), std::string(wanted.front().name()),
                                       std::string(spelling_of(wanted.front().value))});
    if (found == by_label_.end()) {
        return {};
    }
    std::vector<const PodOwner*> owners = found->second;
    std::erase_if(owners, [&](const PodOwner* owner) {
        return !std::ranges::all_of(wanted, [&](const Member& label) {
            const auto has = owner->labels.find(label.name());
            return has != owner->labels.end() && has->second == spelling_of(label.value);
        });
    });
    std::ranges::sort(owners, {}, [](const PodOwner* owner) {
        return std::pair<std::string_view, std::string_view>(owner->kind, owner->name);
    });
    return owners;
}

}  // namespace renderer::graph
