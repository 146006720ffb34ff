// The `git` generator: directories and files of this repository. Source: argo-cd
// applicationset/generators/git.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

// Parameter files, each read once.
class ParameterFiles {
public:
    explicit ParameterFiles(const GitOpsTree& repository) : repository_(repository) {}

    // Returns a map or a list of maps, null if the file contains neither.
    const Value& at(const std::string& file);

private:
    const GitOpsTree& repository_;
    std::map<std::string, Value> known_;
};

// Returns the first document of a YAML text, which is a map or a list of maps; null if it is
// neither.
Value read_parameters(std::string text);

// Returns the parameters without the generator's `values`. `is_go`: as a tree. A file without
// parameters sets `failure`.
std::vector<Value> git_parameters(const GitOpsTree& repository, ParameterFiles& files,
                                  const Value& git, bool is_go, std::string& failure);

}  // namespace renderer::engines
