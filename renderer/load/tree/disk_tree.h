// The file system as it is. Not for: the output directory, which emit writes.
#pragma once

#include "renderer/load/tree/source_tree.h"

namespace renderer {

class DiskTree : public SourceTree {
public:
    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;
};

}  // namespace renderer
