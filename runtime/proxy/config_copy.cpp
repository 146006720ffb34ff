#include "runtime/proxy/config_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/descriptor.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/core/json.h"
#include "runtime/proxy/config_file.h"

namespace runtime::proxy {

namespace {

renderer::Error copy_failure(const std::string& path, std::string_view problem) {
    return {{.rule = "cannot-write",
             .message = fmt::format("cannot write a copy of tailscaled's configuration to {}: {}",
                                    path, problem)}};
}

// Opens the folder, and refuses it if other users have access: anyone can create a folder in shared
// memory.
renderer::Result<renderer::Descriptor> open_folder(const std::string& path) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        return copy_failure(path, std::strerror(errno));
    }
    renderer::Descriptor folder(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    struct stat found {};
    if (folder.get() < 0 || fstat(folder.get(), &found) != 0) {
        return copy_failure(path, std::strerror(errno));
    }
    if (found.st_uid != geteuid() || (found.st_mode & 0077U) != 0) {
        return copy_failure(path, "others have access to it");
    }
    return folder;
}

// Replaces the file by rename, because tailscaled may be reading it.
renderer::Result<renderer::Unit> replace(const renderer::Descriptor& folder,
                                         const std::string& name, std::string_view text) {
    const std::string next = name + ".next";
    renderer::Descriptor file(openat(folder.get(), next.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    const bool is_written = file.get() >= 0 && renderer::write_all(file.get(), text) &&
                            file.close() &&
                            renameat(folder.get(), next.c_str(), folder.get(), name.c_str()) == 0;
    return is_written ? renderer::Result(renderer::Unit{})
                      : copy_failure(name, std::strerror(errno));
}

std::string name_in(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Returns the configuration `text` with `path` as the place of its key.
std::string with_key_at(const std::string& text, const std::string& path) {
    auto config = renderer::read_json(standard_json(text));
    for (renderer::Member& member : config->members()) {
        if (renderer::lower_case(member.name()) == renderer::kAuthDatum) {
            member.value = renderer::Value("file:" + path);
        }
    }
    return renderer::write_json(*config);
}

}  // namespace

ConfigCopy::ConfigCopy(const FollowedFiles& files, std::string folder, std::string original)
    : files_(files),
      folder_(std::move(folder)),
      original_(std::move(original)),
      path_(fmt::format("{}/{}", folder_, name_in(original_))) {}

renderer::Result<renderer::Unit> ConfigCopy::write() {
    const std::string original = TRY(files_.read(original_));
    TailscaledConfig config = TRY(parse_config(original, original_));
    const renderer::Descriptor folder = TRY(open_folder(folder_));
    const std::string key_file = key_file_of(config.auth_key);
    if (!key_file.empty()) {
        const std::string key = TRY(files_.read(key_file));
        TRY(replace(folder, std::string(renderer::kAuthDatum), key));
        config.text = with_key_at(config.text, fmt::format("{}/{}", folder_, renderer::kAuthDatum));
    }
    TRY(replace(folder, name_in(original_), config.text));
    original_text_ = original;
    return renderer::Unit{};
}

}  // namespace runtime::proxy
