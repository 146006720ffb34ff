// The generator `git`: directories and files of this repository. Source: argo-cd
// applicationset/generators/git.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/engines/gitops_tree.h"

namespace renderer {

// Files of parameters, each read once.
class ParameterFiles {
public:
    explicit ParameterFiles(const GitOpsTree& repository) : repository_(repository) {}

    // A map, or a list of maps; null: it is neither.
    const Value& at(const std::string& file);

private:
    const GitOpsTree& repository_;
    std::map<std::string, Value> known_;
};

// A map, or a list of maps, of the first document of a YAML text; null: it is neither.
Value read_parameters(std::string text);

// Without the `values` of the generator. `is_go`: as a tree. A file that holds none is `failure`.
std::vector<Value> git_parameters(const GitOpsTree& repository, ParameterFiles& files,
                                  const Value& git, bool is_go, std::string& failure);

}  // namespace renderer
