// Which kustomizations of a tree list a file: where nothing applies the file, the topmost of them
// is what someone applies, and those below, bases and components, are parts of it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

class Listings {
public:
    // `is_no_root`: nothing in this directory is applied by hand.
    Listings(const GitOpsTree& repository, KustomizationReader& reader,
             std::function<bool(const std::string&)> is_no_root)
        : repository_(repository), reader_(reader), is_no_root_(std::move(is_no_root)) {}

    // Directories whose kustomizations list the file, or a directory that does, and that no other
    // lists. A component is nothing by itself.
    std::vector<std::string> tops(const std::string& file);

    // Some kustomization names it as a patch.
    bool is_patch(const std::string& file);

    // There are kustomizations in its directory or above, and no top lists it.
    bool is_left_out(const std::string& file);

private:
    void read();
    void add(const WalkedDir& dir);
    void add_patches(const WalkedDir& dir);

    const GitOpsTree& repository_;
    KustomizationReader& reader_;
    std::function<bool(const std::string&)> is_no_root_;
    bool is_read_ = false;
    std::map<std::string, std::set<std::string>> listed_by_;  // files and directories
    std::set<std::string> patches_;
};

}  // namespace renderer
