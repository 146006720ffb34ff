// Helm 4 hands all templates to a post-renderer as one stream, each document annotated with its
// file, and puts what comes back into files again. Our objects go to the file of the document that
// they were made for; without that Helm numbers them, and each new one renames those behind it.
// Source: Helm v4 pkg/action/action.go (annotateAndMerge, splitAndDeannotate).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/generate/model.h"
#include "renderer/load/loaded.h"

namespace renderer {

// Does nothing on a stream without such annotations, as Helm 3 hands it out.
void name_helm_files(const Loaded& loaded, Objects& objects);

// The same with a note of the template that each line of the stream comes from, as both versions of
// Helm say it: no one has the stream to look it up.
Diagnostics with_templates(const Loaded& loaded, const Diagnostics& diagnostics);

}  // namespace renderer
