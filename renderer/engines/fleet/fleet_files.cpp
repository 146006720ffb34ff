#include "renderer/engines/fleet/fleet_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Returns the patterns of a .fleetignore. They match base names; `name/*` matches a whole
// directory.
std::vector<std::string> read_patterns(const repo::SourceTree& tree, const std::string& path) {
    const Result<std::string> text = tree.read(path);
    std::vector<std::string> patterns;
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
        std::string_view line = take(rest, '\n');
        while (line.size() > 1 &&
               (line.ends_with(' ') || line.ends_with('\t') || line.ends_with('\r')) &&
               line[line.size() - 2] != '\\') {
            line.remove_suffix(1);
        }
        if (!line.empty() && line.front() != '#') {
            patterns.emplace_back(line);
        }
    }
    return patterns;
}

bool is_ignored(const std::vector<std::string>& patterns, const std::string& name, bool is_dir) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
        if (pattern.size() > 2 && pattern.ends_with("/*")) {
            return is_dir && name == pattern.substr(0, pattern.size() - 2);
        }
        return repo::matches_glob(pattern, name);
    });
}

}  // namespace

std::vector<const repo::WalkedDir*> bundle_roots(const std::vector<repo::WalkedDir>& dirs) {
    std::vector<const repo::WalkedDir*> roots;
    std::map<std::string_view, const repo::WalkedDir*> owner;
    for (const repo::WalkedDir& dir : dirs) {
        const std::size_t slash = dir.relative.rfind('/');
        const std::string_view parent = slash == std::string::npos
                                            ? std::string_view()
                                            : std::string_view(dir.relative).substr(0, slash);
        const auto above = owner.find(parent);
        const bool is_root = !dir.fleet_files.empty();
        roots.push_back(is_root ? &dir : above == owner.end() ? nullptr : above->second);
        owner[dir.relative] = roots.back();
    }
    return roots;
}

std::vector<BundleFile> bundle_files(const repo::SourceTree& tree, const DirList& dirs) {
    std::vector<BundleFile> files;
    const repo::WalkedDir& root = *dirs.front();
    std::map<std::string, std::vector<std::string>> patterns_of;
    std::set<std::string> left_out;
    for (const repo::WalkedDir* dir : dirs) {
        const std::string parent = repo::parent_path(dir->path);
        std::vector<std::string> patterns =
            dir == &root ? std::vector<std::string>() : patterns_of[parent];
        if (dir != &root && (left_out.contains(parent) ||
                             is_ignored(patterns, std::string(repo::base_name(dir->path)), true))) {
            left_out.insert(dir->path);
            continue;
        }
        if (dir->has_fleetignore) {
            for (std::string& pattern :
                 read_patterns(tree, repo::join_path(dir->path, ".fleetignore"))) {
                patterns.push_back(std::move(pattern));
            }
        }
        for (const std::string& name : dir->files) {
            if (!is_ignored(patterns, name, false)) {
                files.push_back(
                    {dir, name, repo::relative_path(repo::join_path(dir->path, name), root.path)});
            }
        }
        patterns_of[dir->path] = std::move(patterns);
    }
    return files;
}

}  // namespace renderer::engines
