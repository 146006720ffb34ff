// For tests only: units of engine objects in an in-memory tree.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/yaml_reader.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/liveness.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {

// The repository is "acme" and has the files of the test.
class UnitTree {
public:
    explicit UnitTree(std::map<std::string, std::string> files) : tree_(std::move(files)) {
        Diagnostics discarded;
        walked_ = repo::walk_tree(tree_, root_, "", discarded);
        for (const repo::WalkedDir& dir : walked_) {
            dirs_.push_back(&dir);
        }
        repository_ =
            std::make_unique<GitOpsTree>(tree_, dirs_, root_, sources_, options_, nullptr);
    }

    GitOpsTree& repository() { return *repository_; }

    // Returns an object as if it were in `clusters/den/apps.yaml`.
    EngineObject object(std::string text) {
        Diagnostics mistakes;
        const SourceId source = sources_.add("clusters/den/apps.yaml", std::move(text));
        Value root = read_yaml(sources_, source, mistakes);
        EXPECT_TRUE(mistakes.empty()) << mistakes.print(sources_, false);
        return {"clusters/den/apps.yaml", std::move(root)};
    }

private:
    repo::MemoryTree tree_;
    repo::LoadOptions options_;
    std::string root_;
    SourceMap sources_;
    std::vector<repo::WalkedDir> walked_;
    DirList dirs_;
    std::unique_ptr<GitOpsTree> repository_;
};

// "live apps", "missing apps: there is no directory apps"
inline std::string summary_of(const BuildUnit& unit) {
    std::string text = std::string(word_of(unit.state)) + " " + unit.dir;
    return unit.reason.empty() ? text : text + ": " + unit.reason;
}

}  // namespace renderer::engines
