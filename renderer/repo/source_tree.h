// The interface to storage: files and directories under the paths that the user typed, so that
// messages can name a file by its path. Listings are sorted bytewise for every kind of storage. The
// interface writes nothing, and walks no tree: walk.h decides which directories are visited.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"

namespace renderer::repo {

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
    // Returns the absolute path with the symbolic links of its longest existing part resolved.
    virtual std::string real_path(const std::string& path) const = 0;
};

}  // namespace renderer::repo
