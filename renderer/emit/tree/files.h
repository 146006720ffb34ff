// The few file operations that writing a tree needs, each with an error that names the file and
// what the system said. Never follows a symbolic link that is where a file of ours should be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/descriptor.h"
#include "renderer/core/result.h"

namespace renderer {

enum class Durable { No, Yes };  // Yes: on the disk before the call returns

enum class FileKind { Missing, File, Directory, Other };  // Other: a symbolic link, a socket, …

FileKind file_kind(const std::string& path);

// No value: there is no such file.
Result<std::optional<std::string>> read_file(const std::string& path);
// Names, sorted; links to directories do not count. None in a directory that is missing.
Result<std::vector<std::string>> directories_in(const std::string& path);
// Puts the content into `temporary` and renames that to `path`: readers see the old file or the new
// one. Both must be on one file system.
Result<Unit> replace_file(const std::string& path, const std::string& temporary,
                          std::string_view content, Durable durable);
// The file must not exist yet.
Result<Unit> create_file(const std::string& path, std::string_view content, Durable durable);
Result<Unit> make_directories(const std::string& path);
// A file that is already gone is fine.
Result<Unit> remove_file(const std::string& path);

// Held while a tree is written, so that two runs do not write the same one. Released when dropped,
// also by a kill.
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

}  // namespace renderer
