#include "renderer/engines/helm/files_by_pattern.h"

#include <algorithm>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr int kDeepestMatch = 32;  // directories

class PatternWalk {
public:
    PatternWalk(const repo::SourceTree& tree, std::vector<std::string_view> names)
        : tree_(tree), names_(std::move(names)) {}

    std::vector<std::string> run(const std::string& top) {
        walk(top, 0, 0);
        return std::move(found_);
    }

private:
    void walk(const std::string& dir, std::size_t at, int depth) {
        const bool is_any = names_[at] == "**";
        const bool is_last = at + 1 == names_.size();
        if (is_any && !is_last) {
            walk(dir, at + 1, depth);
        }
        const Result<std::vector<repo::Entry>> entries = tree_.list(dir);
        if (!entries || depth > kDeepestMatch) {
            return;
        }
        for (const repo::Entry& entry : *entries) {
            const std::string path = repo::join_path(dir, entry.name);
            const bool is_match = is_any || repo::matches_glob(std::string(names_[at]), entry.name);
            if (entry.kind == repo::EntryKind::File && is_last && is_match) {
                found_.push_back(path);
            } else if (entry.kind == repo::EntryKind::Directory && is_match &&
                       (is_any ? !entry.is_link : !is_last)) {
                walk(path, is_any ? at : at + 1, depth + 1);
            }
        }
    }

    const repo::SourceTree& tree_;
    std::vector<std::string_view> names_;
    std::vector<std::string> found_;
};

}  // namespace

bool is_file_pattern(std::string_view path) {
    return path.find("://") == std::string_view::npos &&
           path.find_first_of("*?[") != std::string_view::npos;
}

std::vector<std::string> files_by_pattern(const repo::SourceTree& tree, const std::string& top,
                                          const std::string& pattern) {
    std::vector<std::string> found;
    if (!repo::is_within(pattern, top)) {
        return found;
    }
    for (const std::string& one : repo::brace_alternatives(repo::relative_path(pattern, top))) {
        for (std::string& path : PatternWalk(tree, split(one, '/')).run(top)) {
            if (std::ranges::find(found, path) == found.end()) {
                found.push_back(std::move(path));
            }
        }
    }
    return found;
}

}  // namespace renderer::engines
