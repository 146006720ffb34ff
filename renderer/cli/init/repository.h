// What `init` finds in a repository: what applies it, whether the operator is in it, and where one
// more object of its engine belongs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/options.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/build_unit.h"
#include "renderer/repo/load_options.h"

namespace renderer::cli {

enum class Applier : std::uint8_t { Kubectl, Flux, ArgoCd, Fleet };

struct Repository {
    Applier applier = Applier::Kubectl;
    Ci ci = Ci::None;
    std::vector<engines::BuildUnit> units;
    std::size_t inputs = 0;                // files with inputs for Tailscale
    std::vector<std::string> clusters;     // roots of Flux, or the targets of Fleet
    std::vector<std::string> operators;    // places that install the operator
    std::vector<std::string> fleet_files;  // of bundles
    // Of Flux and Argo CD: an object to take the source from (Null: none is known), the directory
    // for one more object, and whether something in the tree applies that directory.
    Value model = {};
    std::string objects_dir;
    bool is_dir_applied = false;

    // Returns the name of the live unit that applies a directory already; "" if none does.
    [[nodiscard]] std::string applied_by(std::string_view dir) const;
};

// Reads the tree of the options, which must be the top of a repository.
Repository look_at(const repo::LoadOptions& options, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer::cli
