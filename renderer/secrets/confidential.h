// Keeps credentials out of what is printed, whoever reports: a line of source is not shown when it
// is part of a Secret, of the chart's `oauth`, of a secretGenerator, or names a credential, and
// then what was found there is not quoted; keys of Tailscale are left out of every text. Refuses
// nothing: places, rules and hints stay.
#pragma once

#include <cstddef>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"

namespace renderer {

// Length of a key such as tskey-auth-<id>CNTRL-<secret> at the begin of the text; 0: none.
std::size_t tailscale_key_length(std::string_view text);
// A key with many equal or counting characters is an example.
bool is_example_key(std::string_view key);
// Whether a key that is no example stands anywhere in the text.
bool holds_tailscale_key(std::string_view text);

// As it may be printed.
Diagnostic without_credentials(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace renderer
