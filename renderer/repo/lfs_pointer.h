// Git LFS stores a large file outside of Git, and a pointer of a few lines in its place. A pointer
// must never be rendered: the documents of the file would be missing without an error.
// Source: github.com/git-lfs/git-lfs docs/spec.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace renderer::repo {

struct LfsPointer {
    std::string sha256;  // 64 hex digits
    std::size_t size = 0;
};

std::optional<LfsPointer> parse_lfs_pointer(std::string_view text);

// Returns the error for a pointer at `path`. `hint`: how the user fetches the file.
Error lfs_pointer_error(const std::string& path, std::string hint);

}  // namespace renderer::repo
