// The names of sources in the output: the same wherever the command runs.
#pragma once

#include <string_view>

#include "renderer/load/loaded.h"

namespace renderer::emit {

class SourceNames {
public:
    explicit SourceNames(const load::Loaded& loaded);

    // Returns the path relative to the root, or the bare name of a file elsewhere (a values file);
    // "" for an unknown position. Lives as long as what was loaded.
    [[nodiscard]] std::string_view of(Pos pos) const;

private:
    const SourceMap& sources_;
    // The prefix of relative paths in the paths that the user sees: "examples/fleet/".
    std::string_view root_;
};

}  // namespace renderer::emit
