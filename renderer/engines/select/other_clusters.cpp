#include "renderer/engines/select/other_clusters.h"

#include <algorithm>

#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kWildcards = "*?[\\";

bool has_wildcard(std::string_view pattern) {
    return pattern.find_first_of(kWildcards) != std::string_view::npos;
}

// Returns the directory above the first wildcard.
std::string literal_part(const std::string& pattern) {
    return repo::parent_path(pattern.substr(0, pattern.find_first_of(kWildcards) + 1));
}

// Calls `is_found` with the directory and each one above it, until it returns true.
template <typename IsFound>
bool any_above(std::string_view dir, const IsFound& is_found) {
    for (std::size_t slash = dir.find('/'); slash != std::string_view::npos;
         slash = dir.find('/', slash + 1)) {
        if (is_found(dir.substr(0, slash))) {
            return true;
        }
    }
    return is_found(dir);
}

}  // namespace

bool matches_pattern(const std::string& pattern, std::string_view dir) {
    return pattern == "." || any_above(dir, [&](std::string_view above) {
               return repo::matches_glob(pattern, std::string(above));
           });
}

OtherClusters::OtherClusters(const Cluster& cluster, const std::string& root,
                             const repo::LoadOptions& options) {
    if (cluster.bundles.empty()) {
        return;  // it has all directories
    }
    for (const std::string& pattern : cluster.other_bundles) {
        if (has_wildcard(pattern)) {
            globs_.push_back(pattern);
        } else {
            dirs_.insert(pattern);
        }
    }
    for (const BundleGlob& glob : cluster.bundles) {
        if (has_wildcard(glob.pattern)) {
            own_.push_back(glob.pattern);
            open_.push_back(literal_part(glob.pattern));
        } else {
            open_.push_back(glob.pattern);
        }
    }
    for (const NamedPath& one : cluster.includes) {
        open_.push_back(repo::normal_path(one.path));
    }
    for (const std::string& path : options.includes) {
        open_.push_back(repo::normal_path(path));  // it may be relative to the root
        open_.push_back(repo::relative_path(repo::normal_path(path), root));
    }
}

bool OtherClusters::have(std::string_view dir) const {
    const bool is_of_others =
        any_above(dir, [&](std::string_view above) { return dirs_.contains(above); }) ||
        std::ranges::any_of(globs_,
                            [&](const std::string& glob) { return matches_pattern(glob, dir); });
    return is_of_others &&
           std::ranges::none_of(
               own_, [&](const std::string& own) { return matches_pattern(own, dir); }) &&
           std::ranges::none_of(open_, [&](const std::string& one) {
               return repo::is_within(one, dir) || repo::is_within(dir, one);
           });
}

}  // namespace renderer::engines
