#include "renderer/lint/git_ignores.h"

#include <fmt/format.h>

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

// Returns the patterns as Git reads them, where libgit2 does not: without a byte order mark, and
// without lines that end in an escape, which match nothing.
std::string as_git_reads(std::string_view text) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    text.remove_prefix(text.starts_with(kMark) ? kMark.size() : 0);
    std::string patterns;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t last = line.find_last_not_of('\\');
        const std::size_t escapes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
        if (escapes % 2 == 0) {
            patterns.append(line).append("\n");
        }
    }
    return patterns;
}

// `ignored` is the answer of the directories above. It becomes a first pattern that matches every
// path, so libgit2 never looks at ignore files of the user.
bool GitIgnores::decides(const std::string& text, const std::string& path, bool ignored) const {
    const std::string patterns = fmt::format("*\n{}{}", ignored ? "" : "!*\n", as_git_reads(text));
    int answer = 0;
    git_ignore_clear_internal_rules(repository_.get());
    const bool is_known = git_ignore_add_rule(repository_.get(), patterns.c_str()) == 0 &&
                          git_ignore_path_is_ignored(&answer, repository_.get(), path.c_str()) == 0;
    return is_known ? answer == 1 : ignored;
}

// The path of a directory ends in a slash. Files of deeper directories are read later, and win.
bool GitIgnores::is_excluded(const std::string& path) const {
    bool ignored = false;
    std::size_t begin = 0;
    do {
        const std::string dir = repo::join_path(top_, path.substr(0, begin));
        if (const auto text = tree_.read(repo::join_path(dir, ".gitignore"))) {
            ignored = decides(*text, path.substr(begin), ignored);
        }
        begin = path.find('/', begin) + 1;
    } while (begin != 0 && begin < path.size());
    return ignored;
}

// An ignored directory excludes everything below it.
bool GitIgnores::ignores(std::string_view relative) const {
    const std::string path = repo::join_path(prefix_, relative);
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
        if (is_excluded(path.substr(0, end + 1))) {
            return true;
        }
    }
    return is_excluded(path);
}

}  // namespace renderer::lint
