#include "renderer/diff/object_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "renderer/core/document.h"
#include "renderer/diff/redact.h"
#include "renderer/diff/renames.h"
#include "renderer/kube/api.h"

namespace renderer {
namespace {

constexpr std::string_view kLabel = "tailscale.com/parent-resource";

struct ParentKind {
    std::string_view label, kind;
};
constexpr std::array kParentKinds = {ParentKind{"svc", "Service"}, ParentKind{"ingress", "Ingress"},
                                     ParentKind{"connector", "Connector"},
                                     ParentKind{"proxygroup", "ProxyGroup"}};

std::string parent_of(const Value& root) {
    const std::string_view said = text_at(root, {"metadata", "annotations", kParentAnnotation});
    if (!said.empty()) {
        return std::string(said);
    }
    const auto label = [&](std::string_view suffix) {
        return text_at(root, {"metadata", "labels", fmt::format("{}{}", kLabel, suffix)});
    };
    const auto kind = std::ranges::find(kParentKinds, label("-type"), &ParentKind::label);
    return kind == kParentKinds.end() ? "" : object_name(kind->kind, label("-ns"), label(""));
}

class ObjectComparer {
public:
    ObjectComparer(const Manifests& before, const Manifests& after, const SecretHash& hash)
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
                .old_title = {},
                .api_version = manifest.api_version,
                .path = manifest.path,
                .generated = manifest.generated,
                .parent = {},
                .fields = {}};
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

    // Generated objects follow their parents, and files have no other name.
    static std::vector<Candidate> candidates(const std::vector<const Manifest*>& manifests,
                                             const Manifests& side, const SecretHash& hash) {
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
    const SecretHash& hash_;
    std::vector<const Manifest*> removed_, added_;
    ObjectChanges result_;
};

}  // namespace

ObjectChanges compare_objects(const Manifests& before, const Manifests& after,
                              const SecretHash& hash) {
    return ObjectComparer(before, after, hash).run();
}

}  // namespace renderer
