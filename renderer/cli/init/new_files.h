// What `init` adds to a repository: files, and what is left to do by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/init/repository.h"
#include "renderer/repo/source_tree.h"

namespace renderer::cli {

struct NewFile {
    std::string path;  // below the top of the repository
    std::string text;
    bool is_program = false;
};

struct Additions {
    std::vector<NewFile> files;
    std::vector<std::string> by_hand;   // one line each
    std::vector<std::string> commands;  // what to run next
    std::string render, check;          // the arguments of both, for CI
};

// `top`: the directory as the user typed it. `cluster`: --cluster, "" if there is one.
Additions additions_for(const Repository& repository, const repo::SourceTree& tree,
                        const std::string& top, const std::string& cluster);

// Adds the workflow, its action, or the job of GitLab.
void add_ci(Ci ci, const repo::SourceTree& tree, const std::string& top, Additions& additions);

}  // namespace renderer::cli
