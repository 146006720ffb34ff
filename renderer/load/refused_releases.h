// HelmReleases and other objects of Flux's helm-controller that install nothing: the API server
// rejects them, or their source has a typo in its name.
#pragma once

#include <optional>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Notes such an object as broken: the engine fails at it, and so does the unit that applies it. It
// is an error if the object names Tailscale. `is_unread`: the document cannot be parsed. Returns
// what to report of a release that is rendered anyway, if it makes inputs.
std::optional<Diagnostic> note_refused_release(const Document& document, const Value& object,
                                               bool is_unread, Loaded& loaded,
                                               Diagnostics& diagnostics);

}  // namespace renderer::load
