// The output of `check`: the changes that the writer would make, as one unified diff that `patch
// -p0` accepts. The contents of a Secret that is not tailscaled configuration are never shown.
#include <fmt/format.h>

#include <map>

#include "renderer/emit/diff.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/changes.h"
#include "renderer/emit/tree/files.h"
#include "renderer/emit/tree/generated_file.h"
#include "renderer/emit/tree/output_directory.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kNothing = "/dev/null";

std::string file_diff(std::string_view old_name, std::string_view new_name,
                      std::string_view old_text, std::string_view new_text) {
    if (text_holds_credentials(old_text) || text_holds_credentials(new_text)) {
        return fmt::format("--- {}\n+++ {}\n# holds a Secret: contents not shown\n", old_name,
                           new_name);
    }
    std::string diff = unified_diff(old_name, new_name, old_text, new_text);
    if (!diff.empty()) {
        return diff;
    }
    // The diff of an empty file has no lines, only Git's header.
    const bool is_new = old_name == kNothing;
    return fmt::format("diff --git {0} {0}\n{1} file mode 100644\nindex {2}\n",
                       is_new ? new_name : old_name, is_new ? "new" : "deleted",
                       is_new ? "0000000..e69de29" : "e69de29..0000000");
}

}  // namespace

Result<std::string> compare_tree(const RenderedTree& tree) {
    TRY(check_output_links(tree.dir));
    const Changes changes = TRY(find_changes(tree));
    const auto name = [&](std::string_view path) { return fmt::format("{}/{}", tree.dir, path); };
    std::map<std::string_view, std::string> diffs;
    for (const OutputFile* file : changes.created) {
        diffs[file->path] = file_diff(kNothing, name(file->path), "", file->content);
    }
    for (const Replacement& change : changes.changed) {
        const std::string path = name(change.file->path);
        diffs[change.file->path] = file_diff(path, path, change.old_content, change.file->content);
    }
    for (const std::string& path : changes.stale) {
        const std::optional<std::string> content = TRY(read_file(name(path)));
        if (content) {
            diffs[path] = file_diff(name(path), kNothing, *content, "");
        }
    }
    for (const std::string& path : changes.foreign) {
        diffs[path] = fmt::format("--- {0}\n+++ {0}\n# not written by tailrender, and in the way\n",
                                  name(path));
    }
    std::string out;
    for (const auto& [path, diff] : diffs) {
        out += diff;
    }
    if (tree.is_gone || changes.old_inventory != changes.new_inventory) {
        const std::string path = name(repo::kInventoryFile);
        const bool is_new = changes.old_inventory.empty() && !tree.is_gone;
        out += file_diff(is_new ? kNothing : path, tree.is_gone ? kNothing : path,
                         changes.old_inventory, changes.new_inventory);
    }
    return out;
}

}  // namespace renderer::emit
