// The file operations for writing a tree, with errors that contain the file and the system's
// message. Never follows a symbolic link in place of one of our files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/descriptor.h"
#include "renderer/core/result.h"

namespace renderer::emit {

enum class Durable { No, Yes };  // Yes: on the disk before the call returns

enum class FileKind { Missing, File, Directory, Other };  // Other: a symbolic link, a socket, …

FileKind file_kind(const std::string& path);

// Returns nothing if there is no such file.
Result<std::optional<std::string>> read_file(const std::string& path);
// Returns sorted names without links to directories; none if the directory is missing.
Result<std::vector<std::string>> directories_in(const std::string& path);
// Writes the content to `temporary` and renames that to `path`: readers see the old or the new
// file. Both must be on one file system.
Result<Unit> replace_file(const std::string& path, const std::string& temporary,
                          std::string_view content, Durable durable);
// The file must not exist yet.
Result<Unit> create_file(const std::string& path, std::string_view content, Durable durable);
Result<Unit> make_directories(const std::string& path);
// Succeeds if the file does not exist.
Result<Unit> remove_file(const std::string& path);

// Held while a tree is written, so that no other run writes it. Released by the destructor, or when
// the process dies.
class DirectoryLock {
public:
    static Result<DirectoryLock> take(const std::string& dir);
    // Waits until it is free.
    static Result<DirectoryLock> wait_for(const std::string& dir);

private:
    explicit DirectoryLock(Descriptor held) : held_(std::move(held)) {}
    static Result<DirectoryLock> lock(const std::string& dir, int operation);
    Descriptor held_;
};

}  // namespace renderer::emit
