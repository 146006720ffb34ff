// What load sees of storage: files and directories under the paths that the user typed, so that a
// path is also how a file is called in messages. Listings are sorted bytewise whatever the storage
// does. Nothing is followed, cached or written here; walk.h decides what is visited.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"

namespace renderer {

enum class EntryKind { Missing, File, Directory, Other };  // Other: a socket, a device, …

struct Entry {
    std::string name;
    EntryKind kind = EntryKind::File;  // of the target, for a symbolic link
    bool is_link = false;
};

class SourceTree {
public:
    virtual ~SourceTree() = default;
    virtual Result<std::string> read(const std::string& path) const = 0;
    virtual Result<std::vector<Entry>> list(const std::string& dir) const = 0;
    virtual EntryKind kind(const std::string& path) const = 0;
    // Absolute, symbolic links resolved; of the longest part that exists.
    virtual std::string real_path(const std::string& path) const = 0;
};

}  // namespace renderer
