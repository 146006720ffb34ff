// The directory that a tree is written to, held open. Files are reached from it one directory at a
// time, and no symbolic link is followed, not even one that is created during the run. A link in
// the path of the directory itself is followed only if it belongs to the machine, above the work
// tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/descriptor.h"
#include "renderer/core/result.h"
#include "renderer/emit/tree/files.h"

namespace renderer::emit {

// Fails with [output-link] if the path of an output directory is or contains a symbolic link of the
// work tree. Directories that do not exist yet are fine. Reads only.
Result<Unit> check_output_links(const std::string& dir);

class OutputDirectory {
public:
    // The directory must exist.
    static Result<OutputDirectory> open(const std::string& dir);

    // Creates missing parent directories. Writes a temporary file in the same directory and renames
    // it: readers see the old or the new file.
    Result<Unit> replace(std::string_view path, std::string_view content, Durable durable);
    // Returns the temporary files that killed runs left at the top and beside `files`.
    [[nodiscard]] std::vector<std::string> temporary_files(
        const std::vector<std::string>& files) const;
    // Returns true if there was a file, which is removed. Links and directories stay.
    [[nodiscard]] Result<bool> remove(std::string_view path) const;
    // Removes the directories above that path that are empty.
    void remove_empty_parents(const std::string& path);

private:
    OutputDirectory(std::string dir, Descriptor top) : dir_(std::move(dir)), top_(std::move(top)) {}
    enum class Missing { Fails, IsMade };
    // Opens the directory that contains the path; -1 with errno on failure.
    [[nodiscard]] Descriptor parent_of(std::string_view path, Missing missing) const;
    [[nodiscard]] Error failed(std::string_view what, std::string_view path) const;

    std::string dir_;
    Descriptor top_;
    Descriptor last_parent_{-1};  // of the file that was replaced last; files come sorted by path
    std::string last_parent_path_;
};

}  // namespace renderer::emit
