#include "renderer/repo/paths.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

namespace renderer::repo {

namespace {

constexpr std::size_t kMostAlternatives = 1024;

void add_alternatives(const std::string& pattern, std::vector<std::string>& out) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = open == std::string::npos ? open : pattern.find('}', open);
    if (close == std::string::npos) {
        out.push_back(pattern);
        return;
    }
    for (std::size_t begin = open + 1; begin <= close && out.size() < kMostAlternatives;) {
        const std::size_t end = std::min(pattern.find(',', begin), close);
        add_alternatives(fmt::format("{}{}{}", pattern.substr(0, open),
                                     pattern.substr(begin, end - begin), pattern.substr(close + 1)),
                         out);
        begin = end + 1;
    }
}

// Most paths are normal, and std::filesystem is slow. False also if the answer is not certain.
bool is_surely_normal(std::string_view path) {
    for (std::size_t begin = path.starts_with('/') ? 1 : 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view part = path.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..") {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

}  // namespace

std::string join_path(std::string_view dir, std::string_view path) {
    if (dir.empty() || dir == ".") {
        return std::string(path);
    }
    if (path.empty()) {
        return std::string(dir);
    }
    std::string joined(dir);
    if (!joined.ends_with('/')) {
        joined += '/';
    }
    return joined.append(path);
}

std::string normal_path(std::string_view path) {
    if (is_surely_normal(path)) {
        return std::string(path);
    }
    std::string normal = std::filesystem::path(path).lexically_normal().generic_string();
    while (normal.size() > 1 && normal.ends_with('/')) {
        normal.pop_back();
    }
    return normal.empty() ? "." : normal;
}

std::string path_inside(std::string_view dir, std::string_view path) {
    return normal_path(join_path(dir, normal_path("/" + std::string(path)).substr(1)));
}

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string parent_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) {
        return ".";
    }
    return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

bool is_within(std::string_view path, std::string_view dir) {
    if (is_surely_normal(path) && is_surely_normal(dir)) {
        return path.starts_with(dir) && (path.size() == dir.size() || path[dir.size()] == '/');
    }
    const std::string relative = relative_path(path, dir);
    return relative != ".." && !relative.starts_with("../");
}

std::size_t shared_directories(std::string_view a, std::string_view b) {
    const auto end = std::ranges::mismatch(a, b).in1;
    return static_cast<std::size_t>(std::count(a.begin(), end, '/'));
}

std::string relative_path(std::string_view path, std::string_view dir) {
    if (dir == "." && !path.starts_with('/')) {
        return path == "." ? "" : std::string(path);
    }
    const bool is_below = path.size() > dir.size() + 1 && path.starts_with(dir) && !dir.empty() &&
                          path[dir.size()] == '/';
    if (is_below && dir != "/") {
        return std::string(path.substr(dir.size() + 1));
    }
    const std::filesystem::path to(path);
    const std::filesystem::path from(dir);
    const auto fork = std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first;
    const std::string relative = to.lexically_relative(from).generic_string();
    if ((fork != from.end() && *fork == "..") || (relative.empty() && path != dir)) {
        return fmt::format("../{}", path);  // the names below ".." are unknown
    }
    return relative == "." ? "" : relative;
}

bool is_manifest_name(std::string_view name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

bool matches_glob(const std::string& pattern, const std::string& text) {
    return fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0;
}

std::vector<std::string> brace_alternatives(std::string_view pattern) {
    std::vector<std::string> alternatives;
    add_alternatives(std::string(pattern), alternatives);
    return alternatives;
}

}  // namespace renderer::repo
