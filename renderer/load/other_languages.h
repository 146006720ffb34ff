// Warns of files that define objects in languages which tailrender does not execute: Jsonnet, HCL,
// CUE, and the pipelines of Kargo. What they expose is not rendered.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Adds one warning for all of `files` and for Kargo's objects among the documents.
void warn_other_languages(std::vector<std::string> files, const Loaded& loaded,
                          Diagnostics& diagnostics);

}  // namespace renderer::load
