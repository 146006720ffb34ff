// The directory that a tree is written to, held open: files are reached from it one directory at a
// time, and no symbolic link is followed, not even one that comes while a run goes on. A link in
// the path of the directory itself is followed only where it is the machine's, above the work tree.
#pragma once

#include <string>
#include <string_view>

#include "renderer/base/descriptor.h"
#include "renderer/core/result.h"
#include "renderer/emit/tree/files.h"

namespace renderer {

// [output-link] when the path of an output directory leads through a link of the work tree, or is
// one. What does not exist yet is fine. Reads only.
Result<Unit> check_output_links(const std::string& dir);

class OutputDirectory {
public:
    // The directory must exist.
    static Result<OutputDirectory> open(const std::string& dir);

    // Makes the directories above it. By way of `temporary`, a name at the top: readers see the old
    // file or the new one.
    Result<Unit> replace(std::string_view path, std::string_view temporary,
                         std::string_view content, Durable durable) const;
    // True: there was a file, and it is removed. A link or a directory stays.
    [[nodiscard]] Result<bool> remove(std::string_view path) const;
    // The directories above that path, as long as they are empty.
    void remove_empty_parents(const std::string& path) const;

private:
    OutputDirectory(std::string dir, Descriptor top) : dir_(std::move(dir)), top_(std::move(top)) {}
    enum class Missing { Fails, IsMade };
    // Of the directory that the path is in; -1 with errno.
    [[nodiscard]] Descriptor parent_of(std::string_view path, Missing missing) const;
    [[nodiscard]] Error failed(std::string_view what, std::string_view path) const;

    std::string dir_;
    Descriptor top_;
};

}  // namespace renderer
