#include "renderer/pipeline.h"

namespace renderer {

// The stages in order. Between two of them stands what is true from there on, and a checkpoint: a
// stage reports every mistake that it can find, but the next one runs only on input without any,
// so that nobody reads messages which merely follow from an earlier one.
bool render(const LoadOptions& options, Run& run) {
    const auto checkpoint = [&run] { return !run.diagnostics.has_errors(); };

    run.loaded = load(options, run.diagnostics);
    if (!checkpoint()) {
        return false;
    }
    // Every file has been read: nothing behind this line opens one. Each document knows its
    // bundle, its namespace and whether an applier would see it. The order is that of paths, never
    // that of a directory or of threads.

    run.inventory = classify(run.loaded, run.diagnostics);
    if (!checkpoint()) {
        return false;
    }
    // Every document is either ours and decoded, a fact, or foreign bytes. No string that names a
    // closed choice is compared behind this line.

    run.plan = plan(run.loaded, run.inventory, run.diagnostics);
    if (!checkpoint()) {
        return false;
    }
    // Everything is decided: names, places, tags, targets, edits. Nothing behind this line can
    // fail because of the input.

    run.objects = generate(run.plan);
    // Every object exists. What is left is to order and to write them: emit.h.
    return true;
}

}  // namespace renderer
