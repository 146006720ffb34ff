#include "renderer/load/tree/link_guard.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

namespace fs = std::filesystem;

// The work tree that it is in, else itself.
std::string top_of(const std::string& real) {
    std::error_code ignored;
    for (std::string dir = real; dir.starts_with('/') && dir != "/"; dir = parent_path(dir)) {
        if (fs::exists(fs::path(dir) / ".git", ignored)) {
            return dir;
        }
    }
    return real;
}

}  // namespace

std::string canonical_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? path : normal_path(real.string());
}

LinkGuard::LinkGuard(const std::vector<std::string>& roots) {
    for (const std::string& root : roots) {
        const std::string real = canonical_path(root);
        roots_.push_back({normal_path(root), real, top_of(real)});
    }
}

bool LinkGuard::allows(const std::string& path, bool is_no_link) const {
    if (roots_.empty()) {
        return true;
    }
    const std::string real = real_path(path, is_no_link);
    return std::ranges::any_of(roots_, [&](const Root& root) {
        const std::string relative = relative_path(normal_path(path), root.typed);
        return is_within(real, root.top) || real == normal_path(join_path(root.real, relative));
    });
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

}  // namespace renderer
