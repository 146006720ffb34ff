// Regular expressions with the syntax of Go's package regexp, which the API server uses for the
// patterns of CRDs and SOPS for its rules: https://github.com/google/re2/wiki/Syntax. Matching
// takes time linear in the text, whatever the pattern.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace renderer::inline base {

class Pattern {
public:
    // Returns nothing if the text is not a valid pattern.
    static std::optional<Pattern> parse(std::string_view text);

    // True if the pattern matches anywhere in the text. Only anchors restrict the place.
    [[nodiscard]] bool matches(std::string_view text) const;

    // The begin and end of a match or of one of its groups. Both are npos for a group that took no
    // part in the match.
    struct Span {
        std::size_t begin = std::string_view::npos, end = std::string_view::npos;
    };
    // Returns the spans of the first match that begins at or after `from`: the whole match, then
    // each group. Anchors refer to the whole text. Empty if nothing matches.
    [[nodiscard]] std::vector<Span> find(std::string_view text, std::size_t from) const;

private:
    explicit Pattern(std::shared_ptr<const re2::RE2> expression);

    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace renderer::inline base
