// A tree in memory, for tests: paths and their contents.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "renderer/repo/source_tree.h"

namespace renderer::repo {

class MemoryTree : public SourceTree {
public:
    MemoryTree() = default;
    explicit MemoryTree(std::map<std::string, std::string> files) : files_(std::move(files)) {}

    // Adds a symbolic link. The target is relative to the root of the tree, and may be outside of
    // the tree.
    void link(std::string path, std::string target) { links_[std::move(path)] = std::move(target); }

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;

private:
    std::map<std::string, std::string> files_;
    std::map<std::string, std::string> links_;
};

}  // namespace renderer::repo
