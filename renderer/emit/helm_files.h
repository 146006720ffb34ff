// Helm 4 passes all templates to a post-renderer as one stream, each document annotated with its
// file, and splits the result into files again. Our objects are put into the file of the document
// that they were made for. Otherwise Helm would number them, and each new one would rename those
// after it. Source: Helm v4 pkg/action/action.go (annotateAndMerge, splitAndDeannotate).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/generate/model.h"
#include "renderer/load/loaded.h"

namespace renderer::emit {

// Does nothing on a stream without such annotations, as Helm 3 passes it.
void name_helm_files(const load::Loaded& loaded, generate::Objects& objects);

// Adds a note with the template that each line of the stream comes from, as both versions of Helm
// record it: the user does not have the stream.
Diagnostics with_templates(const load::Loaded& loaded, const Diagnostics& diagnostics);

}  // namespace renderer::emit
