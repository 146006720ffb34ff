#include "renderer/diff/renames.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "renderer/core/json.h"

namespace renderer {
namespace {

constexpr double kSimilar = 0.6;
constexpr std::size_t kMaxPairs = 20'000;  // of one comparison, so that its time stays bounded

using Leaves = std::set<std::string>;

// An object's own name in its values (a selector, a host) is no difference when it is renamed.
std::string without_name(std::string text, const std::string& name) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        text.replace(at, name.size(), "\x01");
    }
    return text;
}

void add_leaves(const std::string& path, const Value& value, const std::string& name,
                Leaves& leaves) {
    if (value.is_map() && value.size() > 0) {
        for (const Member& member : value.members()) {
            add_leaves(fmt::format("{}/{}", path, member.name()), member.value, name, leaves);
        }
    } else if (value.is_list() && value.size() > 0) {
        for (const Value& item : value.items()) {
            add_leaves(path + "[]", item, name, leaves);
        }
    } else if (path != "/metadata/name" && path != "/metadata/namespace") {
        leaves.insert(fmt::format("{}={}", path, without_name(write_json(value), name)));
    }
}

Leaves leaves_of(const Candidate& candidate) {
    Leaves leaves;
    add_leaves({}, candidate.tree, candidate.manifest->name, leaves);
    return leaves;
}

// Shared leaves of all leaves.
double similarity(const Leaves& a, const Leaves& b) {
    const auto shared = static_cast<double>(
        std::ranges::count_if(a, [&](const std::string& leaf) { return b.contains(leaf); }));
    const double all = static_cast<double>(a.size() + b.size()) - shared;
    return all > 0 ? shared / all : 0;
}

struct Pair {
    double score;
    std::size_t removed, added;
};

// A tie says nothing.
bool is_best(const Pair& pair, const std::vector<Pair>& pairs) {
    return std::ranges::none_of(pairs, [&](const Pair& other) {
        const bool same = other.removed == pair.removed && other.added == pair.added;
        const bool rival = other.removed == pair.removed || other.added == pair.added;
        return rival && !same && other.score >= pair.score;
    });
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> find_renames(const std::vector<Candidate>& removed,
                                                              const std::vector<Candidate>& added) {
    if (removed.size() * added.size() > kMaxPairs) {
        return {};
    }
    std::vector<Leaves> new_leaves;
    new_leaves.reserve(added.size());
    for (const Candidate& candidate : added) {
        new_leaves.push_back(leaves_of(candidate));
    }
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < removed.size(); ++i) {
        const Leaves old_leaves = leaves_of(removed[i]);
        for (std::size_t j = 0; j < added.size(); ++j) {
            const double score = removed[i].manifest->kind == added[j].manifest->kind
                                     ? similarity(old_leaves, new_leaves[j])
                                     : 0;
            if (score >= kSimilar) {
                pairs.push_back({score, i, j});
            }
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> renames;
    for (const Pair& pair : pairs) {
        if (is_best(pair, pairs)) {
            renames.emplace_back(pair.removed, pair.added);
        }
    }
    return renames;
}

}  // namespace renderer
