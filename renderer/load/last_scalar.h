// Strips a block scalar that ends its file without a line end. kustomize reads such a scalar
// without a line end, and readers for the API server with one (k8s.io/apimachinery's LineReader),
// as every reader does once anything follows it. In files of a build it is therefore written as
// `|-` or `>-`.
#pragma once

#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

void strip_last_scalars(const std::vector<engines::InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer::load
