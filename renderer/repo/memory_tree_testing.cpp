#include "renderer/repo/memory_tree_testing.h"

#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

Error no_such_file(const std::string& path) {
    return {
        {.rule = "unreadable", .where = path, .message = "cannot read: No such file or directory"}};
}

}  // namespace

Result<std::string> MemoryTree::read(const std::string& path) const {
    const auto link = links_.find(normal_path(path));
    const auto found = files_.find(link == links_.end() ? normal_path(path) : link->second);
    if (found == files_.end()) {
        return no_such_file(path);
    }
    return found->second;
}

Result<std::vector<Entry>> MemoryTree::list(const std::string& dir) const {
    if (const auto link = links_.find(normal_path(dir)); link != links_.end()) {
        return list(link->second);
    }
    if (kind(dir) != EntryKind::Directory) {
        return no_such_file(dir);
    }
    std::map<std::string, Entry> names;
    const auto add = [&](const std::string& path, bool is_link) {
        const std::string relative = relative_path(path, normal_path(dir));
        if (relative.empty() || relative.starts_with("..")) {
            return;
        }
        const std::size_t slash = relative.find('/');
        Entry entry{.name = relative.substr(0, slash), .is_link = is_link};
        entry.kind = slash == std::string::npos ? kind(path) : EntryKind::Directory;
        names.try_emplace(entry.name, entry);
    };
    for (const auto& [path, text] : files_) {
        add(path, false);
    }
    for (const auto& [path, target] : links_) {
        add(path, true);
    }
    std::vector<Entry> entries;
    entries.reserve(names.size());
    for (auto& [name, entry] : names) {
        entries.push_back(std::move(entry));
    }
    return entries;
}

EntryKind MemoryTree::kind(const std::string& path) const {
    const std::string normal = normal_path(path);
    if (const auto link = links_.find(normal); link != links_.end()) {
        return kind(link->second);
    }
    if (files_.contains(normal)) {
        return EntryKind::File;
    }
    for (const auto& [file, text] : files_) {
        if (normal == "." || file.starts_with(normal + "/")) {
            return EntryKind::Directory;
        }
    }
    return EntryKind::Missing;
}

std::string MemoryTree::real_path(const std::string& path) const {
    const auto link = links_.find(normal_path(path));
    const std::string target = link == links_.end() ? path : link->second;
    return normal_path(target.starts_with('/') ? target : "/tree/" + target);
}

}  // namespace renderer::repo
