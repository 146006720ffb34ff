#include "renderer/lint/git_ignores.h"

#include "renderer/base/split.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

GitIgnores::GitIgnores(const repo::SourceTree& tree, const std::string& root) : tree_(tree) {
    const std::string real = tree.real_path(root);
    std::string dir = root;
    for (std::string above = real;; above = repo::parent_path(above), dir += "/..") {
        if (tree.kind(repo::join_path(dir, ".git")) != repo::EntryKind::Missing) {
            inside_ = true;
            top_ = dir;
            prefix_ = repo::relative_path(real, above);
            return;
        }
        if (above == repo::parent_path(above)) {
            return;
        }
    }
}

std::vector<GitIgnores::Pattern> GitIgnores::patterns_in(const std::string& dir) const {
    std::vector<Pattern> patterns;
    const Result<std::string> text = tree_.read(repo::join_path(dir, ".gitignore"));
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
        std::string_view line = take(rest, '\n');
        while (line.ends_with(' ') || line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        Pattern pattern;
        pattern.negated = line.starts_with('!');
        line.remove_prefix(pattern.negated ? 1 : 0);
        pattern.only_dirs = line.ends_with('/');
        line.remove_suffix(pattern.only_dirs ? 1 : 0);
        const bool any_depth = line.starts_with("**/");
        line.remove_prefix(any_depth ? 3 : 0);
        pattern.anchored = !any_depth && line.find('/') != std::string_view::npos;
        line.remove_prefix(line.starts_with('/') ? 1 : 0);
        if (!line.empty() && line.front() != '#') {
            pattern.text = line;
            patterns.push_back(std::move(pattern));
        }
    }
    return patterns;
}

// The last pattern that matches decides, and patterns of deeper directories come later. An ignored
// directory excludes everything below it.
bool GitIgnores::ignores(std::string_view relative) const {
    const std::string path = repo::join_path(prefix_, relative);
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
        const bool is_dir = end != std::string::npos;
        const std::string part = path.substr(0, end);
        bool ignored = false;
        for (std::size_t slash = 0;; slash = part.find('/', slash) + 1) {
            const std::string below = part.substr(slash);
            for (const Pattern& pattern :
                 patterns_in(repo::join_path(top_, part.substr(0, slash)))) {
                const std::string name(pattern.anchored ? below : repo::base_name(below));
                if ((is_dir || !pattern.only_dirs) && repo::matches_glob(pattern.text, name)) {
                    ignored = !pattern.negated;
                }
            }
            if (below.find('/') == std::string::npos) {
                break;
            }
        }
        if (ignored || !is_dir) {
            return ignored;
        }
    }
}

}  // namespace renderer::lint
