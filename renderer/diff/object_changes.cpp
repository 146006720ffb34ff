#include "renderer/diff/object_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/contract/annotations.h"
#include "renderer/contract/labels.h"
#include "renderer/core/document.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/diff/redact.h"
#include "renderer/kube/kinds.h"

namespace renderer::diff {
namespace {

std::string parent_of(const Value& root) {
    const std::string_view said = text_of(root, {"metadata", "annotations", kParentAnnotation});
    if (!said.empty()) {
        return std::string(said);
    }
    const auto label = [&](std::string_view key) {
        return text_of(root, {"metadata", "labels", key});
    };
    return parent_in_labels(label(label::kParentType), label(label::kParentNamespace),
                            label(label::kParent));
}

// An object that is only on one side.
struct Candidate {
    const Manifest* manifest = nullptr;
    Value tree;  // redacted
};

constexpr double kSimilar = 0.6;
constexpr std::size_t kMaxPairs = 20'000;  // for one comparison, to limit its time

using Leaves = std::set<std::string>;

// An object's own name in its values (a selector, a host) is not a difference if the object is
// renamed.
std::string without_name(std::string text, const std::string& name) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        text.replace(at, name.size(), "\x01");
    }
    return text;
}

void add_leaves(const std::string& path, const Value& value, const std::string& name,
                Leaves& leaves) {
    if (value.is_map() && value.size() > 0) {
        for (const Member& member : value.members()) {
            add_leaves(fmt::format("{}/{}", path, member.name()), member.value, name, leaves);
        }
    } else if (value.is_list() && value.size() > 0) {
        for (const Value& item : value.items()) {
            add_leaves(path + "[]", item, name, leaves);
        }
    } else if (path != "/metadata/name" && path != "/metadata/namespace") {
        leaves.insert(fmt::format("{}={}", path, without_name(write_json(value), name)));
    }
}

Leaves leaves_of(const Candidate& candidate) {
    Leaves leaves;
    add_leaves({}, candidate.tree, candidate.manifest->name, leaves);
    return leaves;
}

// Returns the share of leaves that both have.
double similarity(const Leaves& a, const Leaves& b) {
    const auto shared = static_cast<double>(
        std::ranges::count_if(a, [&](const std::string& leaf) { return b.contains(leaf); }));
    const double all = static_cast<double>(a.size() + b.size()) - shared;
    return all > 0 ? shared / all : 0;
}

struct ObjectPair {
    double score;
    std::size_t removed, added;
};

// A tie does not count as best.
bool is_best(const ObjectPair& pair, const std::vector<ObjectPair>& pairs) {
    return std::ranges::none_of(pairs, [&](const ObjectPair& other) {
        const bool same = other.removed == pair.removed && other.added == pair.added;
        const bool rival = other.removed == pair.removed || other.added == pair.added;
        return rival && !same && other.score >= pair.score;
    });
}

// Finds objects that differ only in name or namespace: a rename to the author, a removal and an
// addition to Kubernetes. Returns indices into `removed` and `added`. Both objects have the same
// kind, each is used at most once, and only if no other is as similar.
std::vector<std::pair<std::size_t, std::size_t>> find_renames(const std::vector<Candidate>& removed,
                                                              const std::vector<Candidate>& added) {
    if (removed.size() * added.size() > kMaxPairs) {
        return {};
    }
    std::vector<Leaves> new_leaves;
    new_leaves.reserve(added.size());
    for (const Candidate& candidate : added) {
        new_leaves.push_back(leaves_of(candidate));
    }
    std::vector<ObjectPair> pairs;
    for (std::size_t i = 0; i < removed.size(); ++i) {
        const Leaves old_leaves = leaves_of(removed[i]);
        for (std::size_t j = 0; j < added.size(); ++j) {
            const double score = removed[i].manifest->kind == added[j].manifest->kind
                                     ? similarity(old_leaves, new_leaves[j])
                                     : 0;
            if (score >= kSimilar) {
                pairs.push_back({score, i, j});
            }
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> renames;
    for (const ObjectPair& pair : pairs) {
        if (is_best(pair, pairs)) {
            renames.emplace_back(pair.removed, pair.added);
        }
    }
    return renames;
}

// The mutable fields of a StatefulSet (k8s.io/kubernetes
// pkg/apis/apps/validation.ValidateStatefulSetUpdate).
constexpr std::array<std::string_view, 7> kMutable = {"spec.replicas",
                                                      "spec.ordinals",
                                                      "spec.template",
                                                      "spec.updateStrategy",
                                                      "spec.revisionHistoryLimit",
                                                      "spec.persistentVolumeClaimRetentionPolicy",
                                                      "spec.minReadySeconds"};

// The immutable field of the other workloads with a pod template.
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

// `after` is the new tree, `fields` its differences from the old one. Returns nothing if no pods
// restart.
std::optional<Restart> restart_of(std::string_view title, const Value& after,
                                  const std::vector<FieldChange>& fields) {
    const std::string_view kind = kind_of_name(title);
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

class ObjectComparer {
public:
    ObjectComparer(const Manifests& before, const Manifests& after, const secrets::SecretHash& hash)
        : before_(before), after_(after), hash_(hash) {}

    ObjectChanges run() {
        for (const Manifest* manifest : before_.all()) {
            const Manifest* other = after_.find(manifest->key);
            if (other != nullptr) {
                compare(*manifest, *other);
            } else {
                removed_.push_back(manifest);
            }
        }
        for (const Manifest* manifest : after_.all()) {
            if (before_.find(manifest->key) == nullptr) {
                added_.push_back(manifest);
            }
        }
        find_renamed();
        for (const Manifest* manifest : removed_) {
            add_alone(*manifest, before_, ObjectEdit::Removed);
        }
        for (const Manifest* manifest : added_) {
            add_alone(*manifest, after_, ObjectEdit::Added);
        }
        std::ranges::stable_sort(result_.changes, {}, &ObjectChange::title);
        std::ranges::stable_sort(result_.restarts, {}, &Restart::workload);
        return std::move(result_);
    }

private:
    static ObjectChange change_of(const Manifest& manifest, ObjectEdit edit) {
        return {.edit = edit,
                .title = manifest.title(),
                .api_version = manifest.api_version,
                .path = manifest.path,
                .generated = manifest.generated};
    }

    void add_alone(const Manifest& manifest, const Manifests& side, ObjectEdit edit) {
        ObjectChange change = change_of(manifest, edit);
        if (manifest.generated) {
            change.parent = parent_of(side.root(manifest));
        }
        result_.changes.push_back(std::move(change));
    }

    void compare(const Manifest& old, const Manifest& now) {
        const bool same_text = !old.text.empty() && old.text == now.text;
        if (same_text) {
            count_unchanged(old, now);
            return;
        }
        const Value& old_root = before_.root(old);
        const Value& new_root = after_.root(now);
        ObjectChange change = change_of(now, ObjectEdit::Changed);
        if (old.opaque || now.opaque) {
            result_.changes.push_back(std::move(change));
            return;
        }
        change.fields =
            compare_fields(now.kind, redacted(old_root, hash_), redacted(new_root, hash_));
        if (change.fields.empty()) {
            count_unchanged(old, now);
            return;
        }
        if (now.generated) {
            change.parent = parent_of(new_root);
        }
        if (std::optional<Restart> restart = restart_of(change.title, new_root, change.fields)) {
            result_.restarts.push_back(std::move(*restart));
        }
        result_.changes.push_back(std::move(change));
    }

    void count_unchanged(const Manifest& old, const Manifest& now) {
        ++result_.unchanged;
        result_.moved += old.path != now.path ? 1 : 0;
    }

    // Skips generated objects, which follow their parents, and files, which have no other name.
    static std::vector<Candidate> candidates(const std::vector<const Manifest*>& manifests,
                                             const Manifests& side,
                                             const secrets::SecretHash& hash) {
        std::vector<Candidate> found;
        for (const Manifest* manifest : manifests) {
            if (manifest->is_object() && !manifest->generated) {
                found.push_back({manifest, redacted(side.root(*manifest), hash)});
            }
        }
        return found;
    }

    void find_renamed() {
        const std::vector<Candidate> removed = candidates(removed_, before_, hash_);
        const std::vector<Candidate> added = candidates(added_, after_, hash_);
        for (const auto& [from, to] : find_renames(removed, added)) {
            const Manifest* old = removed[from].manifest;
            const Manifest* now = added[to].manifest;
            ObjectChange change = change_of(*now, ObjectEdit::Renamed);
            change.old_title = old->title();
            change.fields = compare_fields(now->kind, removed[from].tree, added[to].tree);
            std::erase_if(change.fields, [](const FieldChange& field) {
                return field.path == "metadata.name" || field.path == "metadata.namespace";
            });
            result_.renames.emplace_back(change.old_title, change.title);
            result_.changes.push_back(std::move(change));
            std::erase(removed_, old);
            std::erase(added_, now);
        }
    }

    const Manifests& before_;
    const Manifests& after_;
    const secrets::SecretHash& hash_;
    std::vector<const Manifest*> removed_, added_;
    ObjectChanges result_;
};

}  // namespace

ObjectChanges compare_objects(const Manifests& before, const Manifests& after,
                              const secrets::SecretHash& hash) {
    return ObjectComparer(before, after, hash).run();
}

}  // namespace renderer::diff
