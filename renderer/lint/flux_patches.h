// Patches that others put on Flux's Kustomizations: a parent in `spec.patches`, a kustomization
// that builds them. What they add is not in the file of the child. Source: fluxcd/pkg kustomize,
// kustomize api/types/patch.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/lint/repository.h"

namespace renderer {

struct FluxPatch {
    std::string name;          // of the children, as a regular expression; "" = all
    bool decrypts = false;     // sets spec.decryption
    bool substitutes = false;  // sets spec.postBuild
};

constexpr std::string_view kFluxGroup = "kustomize.toolkit.fluxcd.io";

// Whether this is a Kustomization of Flux whose path may be in this repository. One from an
// OCIRepository or a Bucket is not, and a patch of one says neither source nor path.
bool applies_from_git(const RepositoryDocument& document);

// Those that set one of the two.
std::vector<FluxPatch> find_flux_patches(const Repository& repository);

bool is_patched(const std::vector<FluxPatch>& patches, bool FluxPatch::*what,
                std::string_view name);

}  // namespace renderer
