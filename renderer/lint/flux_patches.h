// Patches that change Flux's Kustomizations: in `spec.patches` of a parent, or in a kustomization
// that builds them. What they add is not in the child's file. Source: fluxcd/pkg kustomize,
// kustomize api/types/patch.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/lint/repository.h"

namespace renderer::lint {

struct FluxPatch {
    std::string name;          // of the patched children, as a regular expression; "" = all
    bool decrypts = false;     // sets spec.decryption
    bool substitutes = false;  // sets spec.postBuild
};

constexpr std::string_view kFluxGroup = "kustomize.toolkit.fluxcd.io";

// True for a Kustomization of Flux whose path may be in this repository. Its source must not be an
// OCIRepository or a Bucket. A patch of a Kustomization, with neither source nor path, does not
// count.
bool applies_from_git(const RepositoryDocument& document);

// Returns the patches that set spec.decryption or spec.postBuild.
std::vector<FluxPatch> find_flux_patches(const Repository& repository);

bool is_patched(const std::vector<FluxPatch>& patches, bool FluxPatch::*what,
                std::string_view name);

}  // namespace renderer::lint
