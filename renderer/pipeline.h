// The renderer on one page: load -> classify -> plan -> generate, a checkpoint after each stage.
#pragma once

#include <optional>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/generate/generate.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/repo/load_options.h"

namespace renderer {

// Everything that a run made; the earlier parts own what the later ones point to. Not movable once
// filled.
struct Run {
    Diagnostics diagnostics;
    Loaded loaded;
    Inventory inventory;
    Plan plan;
    Objects objects;
};

// False when there are errors: `run.diagnostics` has all that could be found, and nothing may be
// written.
bool render(LoadOptions options, Run& run, Form form = Form::Tree);

}  // namespace renderer
