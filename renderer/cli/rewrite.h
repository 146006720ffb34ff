// Replaces a file that the user has. The new text is first written to a temporary file beside it,
// so that of several files none changes if one cannot be written. A symbolic link stays a link, and
// the file keeps its mode and owner.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/result.h"

namespace renderer::cli {

class Rewrite {
public:
    static Result<Rewrite> prepare(const std::string& path, std::string_view text);
    Rewrite(Rewrite&& other) noexcept
        : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}
    Rewrite& operator=(Rewrite&&) = delete;
    ~Rewrite();

    Result<Unit> finish();

private:
    Rewrite() = default;
    std::string target_, temporary_;
};

}  // namespace renderer::cli
