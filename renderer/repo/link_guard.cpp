#include "renderer/repo/link_guard.h"

#include <filesystem>
#include <system_error>

#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace fs = std::filesystem;

namespace {

bool is_repository(const fs::path& dir) {
    std::error_code ignored;
    const bool is_bare =
        fs::exists(dir / "HEAD", ignored) && fs::is_directory(dir / "objects", ignored);
    return is_bare || fs::exists(dir / ".git", ignored);
}

}  // namespace

std::string work_tree_top(const std::string& real) {
    for (std::string dir = real; dir.starts_with('/') && dir != "/"; dir = parent_path(dir)) {
        if (is_repository(dir)) {
            return dir;
        }
    }
    return real;
}

bool is_in_repository(const SourceTree& tree, const std::string& root, const std::string& path) {
    return is_within(path, root) ||
           is_within(tree.real_path(path), work_tree_top(tree.real_path(root)));
}

namespace {

// Returns the directory in which a tree without a work tree may have its bases, as overlays have
// them: two directories above it, or the current directory if that is further up, but never "/".
std::string bases_above(const std::string& real, const std::string& here) {
    std::string limit = real;
    for (int i = 0; i < 2 && parent_path(limit) != "/"; ++i) {
        limit = parent_path(limit);
    }
    return is_within(limit, here) && here != "/" ? here : limit;
}

}  // namespace

std::string canonical_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? path : normal_path(real.string());
}

LinkGuard::LinkGuard(const std::vector<std::string>& roots, const std::string& top) {
    const std::string here = canonical_path(".");
    for (const std::string& root : roots) {
        const std::string real = canonical_path(root);
        const std::string work_tree = top.empty() ? work_tree_top(real) : top;
        const bool is_known = !top.empty() || is_repository(work_tree);
        roots_.push_back(
            {normal_path(root), real, work_tree, is_known ? work_tree : bases_above(real, here)});
    }
}

LinkGuard::Verdict LinkGuard::judge(const std::string& path, bool is_no_link) const {
    Verdict verdict = roots_.empty() ? Verdict::Allowed : Verdict::LinkLeaves;
    const std::string real = roots_.empty() ? std::string() : real_path(path, is_no_link);
    for (const Root& root : roots_) {
        const std::string relative = relative_path(normal_path(path), root.typed);
        const bool has_no_link =
            real == normal_path(path) || real == normal_path(join_path(root.real, relative));
        if (is_within(real, root.top) || (has_no_link && is_within(real, root.limit))) {
            return Verdict::Allowed;
        }
        verdict = has_no_link ? Verdict::PathLeaves : verdict;
    }
    return verdict;
}

std::string LinkGuard::real_path(const std::string& path, bool is_no_link) const {
    std::error_code ignored;
    const std::string_view name = base_name(path);
    if (name == "." || name == ".." || name.empty() ||
        (!is_no_link && fs::is_symlink(path, ignored))) {
        return canonical_path(path);
    }
    const std::string dir = parent_path(path);
    const std::scoped_lock lock(mutex_);
    const auto [entry, is_new] = real_dirs_.try_emplace(dir);
    if (is_new) {
        entry->second = canonical_path(dir);
    }
    return join_path(entry->second, name);
}

}  // namespace renderer::repo
