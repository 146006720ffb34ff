#include "renderer/engines/listings.h"

#include <algorithm>
#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

void Listings::add(const repo::WalkedDir& dir) {
    const Kustomization* kustomization = reader_.find(dir.path);
    if (kustomization == nullptr || !kustomization->root.is_map()) {
        // An unreadable kustomization may list any of these.
        for (const std::string& name : dir.files) {
            listed_by_[repo::join_path(dir.path, name)].insert(dir.path);
        }
        return;
    }
    for (const std::string_view field : {"resources", "bases", "components"}) {
        for (const Value& entry : items_of(kustomization->root.find(field))) {
            const std::string_view text = text_of(entry);
            const std::string path = repo::normal_path(repo::join_path(dir.path, text));
            if (!text.empty() && !is_remote_resource(text) && path != dir.path) {
                listed_by_[path].insert(dir.path);
            }
        }
    }
}

void Listings::add_patches(const repo::WalkedDir& dir) {
    const Kustomization* kustomization = reader_.find(dir.path);
    if (kustomization == nullptr || !kustomization->root.is_map()) {
        return;
    }
    for (const std::string_view field : {"patches", "patchesStrategicMerge", "patchesJson6902"}) {
        for (const Value& entry : items_of(kustomization->root.find(field))) {
            const std::string_view path =
                entry.is_map() ? text_of(entry, {"path"}) : text_of(entry);
            if (!path.empty() && path.find('\n') == std::string_view::npos) {
                patches_.insert(repo::normal_path(repo::join_path(dir.path, path)));
            }
        }
    }
}

void Listings::read() {
    for (const repo::WalkedDir* dir : repository_.dirs()) {
        if (is_read_ || dir->kustomizations.empty()) {
            continue;
        }
        add_patches(*dir);
        if (!is_no_root_(dir->path)) {
            add(*dir);
        }
    }
    is_read_ = true;
}

std::vector<std::string> Listings::tops(const std::string& file) {
    read();
    std::vector<std::string> found, waiting = {file};
    std::set<std::string> known = {file};
    while (!waiting.empty()) {
        const std::string path = std::move(waiting.back());
        waiting.pop_back();
        const auto listing = listed_by_.find(path);
        if (listing != listed_by_.end()) {
            for (const std::string& dir : listing->second) {
                if (known.insert(dir).second) {
                    waiting.push_back(dir);
                }
            }
        } else if (path != file) {
            const Kustomization* top = reader_.find(path);
            if (top == nullptr || !is_component(*top)) {
                found.push_back(path);
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

bool Listings::is_patch(const std::string& file) {
    read();
    return patches_.contains(file);
}

bool Listings::is_left_out(const std::string& file) {
    read();
    if (listed_by_.contains(file)) {
        return tops(file).empty();
    }
    std::string dir = repo::parent_path(file);
    for (const repo::WalkedDir* known = repository_.find(dir); known != nullptr;
         known = repository_.find(dir)) {
        if (!known->kustomizations.empty()) {
            return true;
        }
        if (dir == repo::parent_path(dir)) {
            break;
        }
        dir = repo::parent_path(dir);
    }
    return false;
}

}  // namespace renderer::engines
