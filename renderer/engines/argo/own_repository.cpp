#include "renderer/engines/argo/own_repository.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/edit_distance.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Returns the directories before the first wildcard or template.
std::string_view fixed_part(std::string_view pattern) {
    const std::size_t filled = pattern.find_first_of("*?[{");
    return filled == std::string_view::npos ? pattern
                                            : pattern.substr(0, pattern.rfind('/', filled) + 1);
}

// True if the path differs from that of a directory by one letter.
bool is_nearly_a_directory(const repo::SourceTree& tree, const std::string& dir) {
    const Result<std::vector<repo::Entry>> entries = tree.list(repo::parent_path(dir));
    return entries && std::ranges::any_of(*entries, [&](const repo::Entry& entry) {
               return entry.kind == repo::EntryKind::Directory &&
                      edit_distance(repo::base_name(dir), entry.name) == 1;
           });
}

// True if the path, without its first directories, is that of a directory: the tree may be a part
// of a repository.
bool ends_in_a_directory(const repo::SourceTree& tree, const std::string& root,
                         std::string_view path) {
    while (!take(path, '/').empty() && !path.empty()) {
        if (tree.kind(repo::path_inside(root, path)) == repo::EntryKind::Directory) {
            return true;
        }
    }
    return false;
}

// A source of a template whose path is a parameter.
struct Filled {
    std::string_view url, parameter;
};

// Returns the name in a template that is only a parameter, such as "{{path}}" or "{{ .path }}";
// "" for others.
std::string_view only_parameter(std::string_view text) {
    if (!text.starts_with("{{") || !text.ends_with("}}") || text.size() < 4) {
        return {};
    }
    text = text.substr(2, text.size() - 4);
    const std::size_t begin = text.find_first_not_of(" .-");
    const std::size_t end = text.find_last_not_of(" -");
    if (begin == std::string_view::npos) {
        return {};
    }
    text = text.substr(begin, end + 1 - begin);
    return text.find_first_of(" .{}|") == std::string_view::npos ? text : std::string_view();
}

}  // namespace

std::string repository_name(std::string_view url) {
    std::string name = lower_case(url);
    while (name.ends_with('/')) {
        name.pop_back();
    }
    if (name.ends_with(".git")) {
        name.resize(name.size() - 4);
    }
    const std::size_t last = name.find_last_of("/:");
    if (last == std::string::npos || last == 0) {
        return name;
    }
    const std::size_t before = name.find_last_of("/:", last - 1);
    return before == std::string::npos ? name : name.substr(before + 1);
}

void OwnRepository::learn(const std::vector<EngineObject>& objects) {
    if (!name_.empty()) {
        return;
    }
    std::map<std::string, int> counts;
    std::set<std::string, std::less<>> possible;  // with paths that may be meant for this tree
    const auto count = [&](std::string_view url, std::string_view path) {
        if (url.empty() || url.starts_with("{{")) {
            return;
        }
        const std::string dir = repo::path_inside(root_, path);
        const bool shows = dir != root_ && tree_.kind(dir) == repo::EntryKind::Directory;
        counts[repository_name(url)] += shows ? 1 : 0;
        if (!shows && (dir == root_ || is_nearly_a_directory(tree_, dir) ||
                       ends_in_a_directory(tree_, root_, path))) {
            possible.insert(repository_name(url));
        }
    };
    const auto count_generator = [&](const auto& self, const Value& generator,
                                     const std::vector<Filled>& filled) -> void {
        const Value* git = generator.find("git");
        for (const std::string_view field : {"directories", "files"}) {
            for (const Value& item : items_of(git == nullptr ? nullptr : git->find(field))) {
                count(text_of(*git, {"repoURL"}), fixed_part(text_of(item, {"path"})));
            }
        }
        for (const Value& element : items_of(generator.at({"list", "elements"}))) {
            const std::string_view own = text_of(element, {"repoURL"});
            for (const Filled& one : filled) {
                count(own.empty() ? one.url : own, fixed_part(text_of(element, {one.parameter})));
            }
        }
        for (const std::string_view product : {"matrix", "merge"}) {
            for (const Value& inner : items_of(generator.at({product, "generators"}))) {
                self(self, inner, filled);
            }
        }
    };
    for (const EngineObject& object : objects) {
        if (is_kind(object.root, kArgoGroup, "Application")) {
            for (const Value* source : sources_of(object.root)) {
                count(text_of(*source, {"repoURL"}), text_of(*source, {"path"}));
            }
        } else if (is_kind(object.root, kArgoGroup, "ApplicationSet")) {
            const Value* shape = object.root.at({"spec", "template"});
            std::vector<Filled> filled;
            for (const Value* source :
                 shape == nullptr ? std::vector<const Value*>() : sources_of(*shape)) {
                const std::string_view path = text_of(*source, {"path"});
                count(text_of(*source, {"repoURL"}), fixed_part(path));
                if (const std::string_view parameter = only_parameter(path); !parameter.empty()) {
                    filled.push_back({text_of(*source, {"repoURL"}), parameter});
                }
            }
            for (const Value& generator : items_of(object.root.at({"spec", "generators"}))) {
                count_generator(count_generator, generator, filled);
            }
        }
    }
    int most = 1;
    candidates_.clear();
    for (const auto& [name, shown] : counts) {
        if (shown > most) {
            candidates_.clear();
            most = shown;
        }
        if (shown == most) {
            candidates_.insert(name);
        }
    }
    if (candidates_.size() == 1) {
        name_ = *candidates_.begin();
        candidates_.clear();
    } else if (candidates_.empty()) {
        candidates_ = std::move(possible);
    }
}

bool OwnRepository::may_be_own(std::string_view url) const {
    return candidates_.contains(repository_name(url));
}

bool OwnRepository::is_own(std::string_view url) const {
    return !name_.empty() && repository_name(url) == name_;
}

bool OwnRepository::is_other(std::string_view url) const {
    return !name_.empty() && repository_name(url) != name_;
}

}  // namespace renderer::engines
