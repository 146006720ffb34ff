// A block scalar that ends its file without a line end: kustomize reads it without one, and readers
// for the API server with one (k8s.io/apimachinery's LineReader), as all do as soon as anything is
// behind it. In files of a build it is written as one that has none: `|-`, `>-`.
#pragma once

#include <vector>

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

void strip_last_scalars(const std::vector<InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer
