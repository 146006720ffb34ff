// Finds the kustomizations that list a file. If no unit applies the file, the topmost of these is
// applied by hand, and those below it, bases and components, are parts of it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

class Listings {
public:
    // `is_no_root`: true for directories in which nothing is applied by hand.
    Listings(const GitOpsTree& repository, KustomizationReader& reader,
             std::function<bool(const std::string&)> is_no_root)
        : repository_(repository), reader_(reader), is_no_root_(std::move(is_no_root)) {}

    // Returns the directories of the topmost kustomizations that list the file, directly or through
    // others. A component is not applied alone, so it is not returned.
    std::vector<std::string> tops(const std::string& file);

    // True if a kustomization uses the file as a patch.
    bool is_patch(const std::string& file);

    // True if the directory or a parent has a kustomization, and no topmost one lists the file.
    bool is_left_out(const std::string& file);

private:
    void read();
    void add(const repo::WalkedDir& dir);
    void add_patches(const repo::WalkedDir& dir);

    const GitOpsTree& repository_;
    KustomizationReader& reader_;
    std::function<bool(const std::string&)> is_no_root_;
    bool is_read_ = false;
    std::map<std::string, std::set<std::string>> listed_by_;  // path -> directories
    std::set<std::string> patches_;
};

}  // namespace renderer::engines
