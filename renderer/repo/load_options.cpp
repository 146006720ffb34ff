#include "renderer/repo/load_options.h"

#include "renderer/repo/disk_tree.h"

namespace renderer::repo {

std::shared_ptr<const SourceTree> source_tree(const LoadOptions& options) {
    std::vector<std::string> named = options.values_files;
    std::vector<std::string> roots = options.context_dirs;
    if (!options.path.empty()) {  // else a stream
        named.push_back(options.path);
        roots.push_back(options.path);
    } else if (options.resource_list) {
        roots.emplace_back(".");  // the functionConfig may name files
    }
    return options.tree != nullptr ? options.tree : std::make_shared<DiskTree>(named, roots);
}

}  // namespace renderer::repo
