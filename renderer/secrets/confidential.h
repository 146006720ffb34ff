// Keeps credentials out of all output. A line of source is hidden if it is part of a Secret, of the
// chart's `oauth` or of a secretGenerator, or names a credential; the text found there is not
// quoted then. Keys of Tailscale are removed from every text. Refuses nothing: places, rules and
// hints stay.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

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

// Makes the diagnostics of one run fit to be printed. It reads each source once, so that many
// diagnostics of a large file cost little.
class CredentialFilter {
public:
    // The sources must outlive the filter.
    explicit CredentialFilter(const SourceMap& sources) : sources_(sources) {}

    Diagnostic shown(const Diagnostic& diagnostic);

private:
    struct Span {
        std::size_t begin, end;
    };
    struct Landmarks {
        std::vector<std::size_t> separators;  // lines with `---`, but for the first line
        std::vector<std::size_t> keys;        // lines with a top-level key or `---`
        std::vector<Span> secrets;            // `kind: Secret`
    };

    static Landmarks landmarks_of(std::string_view text);
    static bool is_in_secret(const Landmarks& landmarks, std::size_t offset);
    static std::string_view top_key(const Landmarks& landmarks, std::string_view text,
                                    std::size_t offset);
    bool is_in_credentials(const Diagnostic& diagnostic, std::string_view line);

    const SourceMap& sources_;
    std::map<SourceId, Landmarks> known_;
};

}  // namespace renderer::secrets
