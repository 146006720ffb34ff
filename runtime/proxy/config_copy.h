// tailscaled's configuration and the key that it names, in files of this process's own, since those
// that the kubelet mounts are up to 90 seconds late. They are in memory, in a folder that no other
// user can read.
#pragma once

#include <string>

#include "renderer/core/result.h"
#include "runtime/proxy/followed_files.h"

namespace runtime {

class ConfigCopy {
public:
    // Of the configuration at that path and of its key, as `files`, which outlives it, has them.
    ConfigCopy(const FollowedFiles& files, std::string folder, std::string original);

    // Brings the copy up to date. If something cannot be read, the copy stays as it was.
    renderer::Result<renderer::Unit> write();
    // Returns the path of the copy, for tailscaled.
    [[nodiscard]] const std::string& path() const { return path_; }
    // Returns the configuration that was copied last.
    [[nodiscard]] const std::string& original_text() const { return original_text_; }

private:
    const FollowedFiles& files_;
    std::string folder_, original_, path_;
    std::string original_text_;
};

}  // namespace runtime
