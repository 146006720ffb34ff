// A tree in which one file says something else.
#pragma once

#include <string>
#include <utility>

#include "renderer/load/tree/source_tree.h"

namespace renderer {

class OverlayTree : public SourceTree {
public:
    // `base` outlives it. The directory of the file is in the tree; the file itself need not be.
    OverlayTree(const SourceTree& base, std::string path, std::string text)
        : base_(base), path_(std::move(path)), text_(std::move(text)) {}

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;

private:
    const SourceTree& base_;
    std::string path_, text_;
};

}  // namespace renderer
