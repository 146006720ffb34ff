// Writes files of the user's repository.
//
// Rewrite replaces a file that the user has. The new text is first written to a temporary file
// beside it, so that of several files none changes if one cannot be written. A symbolic link stays
// a link, and the file keeps its mode and owner.
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

// Writes a file that does not exist yet, and the directories above it. `path` is below `top`, and
// no symbolic link may lead out of it.
Result<Unit> write_new_file(const std::string& top, const std::string& path, std::string_view text,
                            bool is_program);

}  // namespace renderer::cli
