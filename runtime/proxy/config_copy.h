// Copies of tailscaled's configuration and of the auth key that it names. This process writes them
// because the files that the kubelet mounts lag by up to 90 seconds. They are in memory, in a
// folder that no other user can read.
#pragma once

#include <string>

#include "renderer/core/result.h"
#include "runtime/proxy/followed_files.h"

namespace runtime::proxy {

class ConfigCopy {
public:
    // Copies the configuration at the path `original`, and its key, into `folder`. Their texts come
    // from `files`, which outlives it.
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

}  // namespace runtime::proxy
