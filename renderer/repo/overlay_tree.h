// A tree with other contents for some of its files, and files that it does not have.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "renderer/repo/source_tree.h"

namespace renderer::repo {

class OverlayTree : public SourceTree {
public:
    // `base` must outlive this tree. `files`: texts by path. The directory of a file must be in
    // `base`; the file itself need not be.
    OverlayTree(const SourceTree& base, std::map<std::string, std::string> files)
        : base_(base), files_(std::move(files)) {}

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;

private:
    const SourceTree& base_;
    std::map<std::string, std::string> files_;
};

}  // namespace renderer::repo
