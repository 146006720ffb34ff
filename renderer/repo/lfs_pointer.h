// Git LFS keeps a large file outside of Git and a few lines that name it inside. Where those lines
// are in place of the file, rendering them would leave the file's documents out silently.
// Source: github.com/git-lfs/git-lfs docs/spec.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace renderer {

struct LfsPointer {
    std::string sha256;  // 64 hex digits
    std::size_t size = 0;
};

std::optional<LfsPointer> parse_lfs_pointer(std::string_view text);

// `hint`: how the user gets the file.
Error lfs_pointer_error(const std::string& path, std::string hint);

}  // namespace renderer
