// Warns of exposures that are not rendered because no Service or Ingress in the tree requests them:
// charts create them from their values, and other operators from their own resources.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/load/render_charts.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

struct ExposureSources {
    std::vector<engines::ChartFile> files;        // templates and values of charts
    std::vector<engines::ExposingPatch> patches;  // executed patches that expose something
    RenderedCharts rendered;
    std::string root;                     // the tree's directory; "" for a stream
    bool has_operator = false;            // the operator's chart is installed
    std::vector<std::string> words = {};  // of inputs, besides "tailscale"
};

// Searches the loaded documents and `given.files`, which it reads and adds to the sources. Sets
// `hidden_exposures`. Outside of a stream, a patch that exposes something through an object, or
// through what a chart creates, is an error at the patch.
void warn_hidden_exposures(const repo::SourceTree& tree, const ExposureSources& given,
                           unsigned threads, Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load
