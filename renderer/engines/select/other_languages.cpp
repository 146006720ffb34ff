#include "renderer/engines/select/other_languages.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::array<std::string_view, 5> kOtherLanguages = {".jsonnet", ".libsonnet", ".tf",
                                                             ".hcl", ".cue"};

}  // namespace

std::vector<std::string> files_in_other_languages(const repo::SourceTree& tree,
                                                  const std::vector<repo::WalkedDir>& dirs) {
    std::vector<std::string> found;
    for (const repo::WalkedDir& dir : dirs) {
        for (const std::string& name : dir.files) {
            std::string path = repo::join_path(dir.path, name);
            if (std::ranges::any_of(kOtherLanguages,
                                    [&](std::string_view end) { return name.ends_with(end); }) &&
                repo::file_mentions_tailscale(tree, path)) {
                found.push_back(std::move(path));
            }
        }
    }
    return found;
}

}  // namespace renderer::engines
