// Keeps credentials out of all output. A line of source is hidden if it is part of a Secret, of the
// chart's `oauth` or of a secretGenerator, or names a credential; the text found there is not
// quoted then. Keys of Tailscale are removed from every text. Refuses nothing: places, rules and
// hints stay.
#pragma once

#include <cstddef>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"

namespace renderer::secrets {

// Returns the length of a key such as tskey-auth-<id>CNTRL-<secret> at the start of the text; 0 if
// there is none.
std::size_t tailscale_key_length(std::string_view text);
// True for keys with typical words or sequences of examples.
bool is_example_key(std::string_view key);
// True if the text contains a key that is not an example.
bool holds_tailscale_key(std::string_view text);

// Returns the diagnostic as it may be printed.
Diagnostic without_credentials(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace renderer::secrets
