#include "renderer/cli/sides.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "renderer/repo/disk_tree.h"
#include "renderer/repo/git_tree.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {
namespace {

// The error if the name is neither a directory nor, because of `why`, a revision.
Diagnostic no_side(const std::string& name, std::string_view what, Diagnostic why) {
    why.where = what;
    why.message = fmt::format("neither a directory nor a revision of Git: {}", why.message);
    if (why.found.empty()) {
        why.found = fmt::format("\"{}\"", name);
    }
    why.expected = "a directory with sources or with what \"render -o\" wrote, REV or REV:PATH";
    return why;
}

Diagnostic not_at_revision(const std::string& name, std::string_view what) {
    return {.rule = "unreadable",
            .where = std::string(what),
            .message = "the revision has no such path",
            .found = fmt::format("\"{}\"", name),
            .expected = "REV:PATH, the path as seen from the current directory"};
}

}  // namespace

std::string revision_of(const std::string& name) {
    return name.substr(0, name.find(':'));
}

Result<std::shared_ptr<const repo::SourceTree>> open_side(const std::string& name,
                                                          std::string_view what,
                                                          repo::LoadOptions& load) {
    load.path = name;
    const std::vector<std::string> roots = {name};
    std::shared_ptr<const repo::SourceTree> tree =
        std::make_shared<repo::DiskTree>(std::vector<std::string>(), roots);
    if (tree->kind(name) != repo::EntryKind::Missing) {
        return tree;
    }
    const auto colon = name.find(':');
    load.path = colon == std::string::npos ? "." : repo::normal_path(name.substr(colon + 1));
    Result<std::shared_ptr<const repo::GitTree>> revision =
        repo::GitTree::open(load.path, revision_of(name), load.values_files, load.context_dirs);
    if (!revision) {
        return Error{no_side(name, what, std::move(revision.error().diagnostic))};
    }
    load.tree = *revision;
    tree = *revision;
    if (tree->kind(load.path) == repo::EntryKind::Missing) {
        return Error{not_at_revision(name, what)};
    }
    return tree;
}

}  // namespace renderer::cli
