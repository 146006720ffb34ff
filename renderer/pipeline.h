// The pipeline of the renderer: load -> classify -> plan -> generate.
#pragma once

#include <optional>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/generate/generate.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/repo/load_options.h"

namespace renderer {

// The results of a run. Later members point into earlier ones, so a filled Run must not be moved.
struct Run {
    Diagnostics diagnostics;
    load::Loaded loaded;
    classify::Inventory inventory;
    plan::Plan plan;
    generate::Objects objects;
};

// Returns false if there are errors. Then `run.diagnostics` has every error that could be found,
// and nothing may be written.
bool render(repo::LoadOptions options, Run& run, generate::Form form = generate::Form::Tree);

}  // namespace renderer
