// Regular expressions as Go's package regexp takes them, which the API server uses for the patterns
// of CRDs and SOPS for its rules: https://github.com/google/re2/wiki/Syntax. Matches in time linear
// in the text, whatever the pattern.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace renderer {

class Pattern {
public:
    // No value: it is none.
    static std::optional<Pattern> parse(std::string_view text);

    // Anywhere in the text, unless the pattern has anchors.
    [[nodiscard]] bool matches(std::string_view text) const;

    // Where a match and each of its groups begin and end; both are npos for a group without a part
    // in it.
    struct Span {
        std::size_t begin = std::string_view::npos, end = std::string_view::npos;
    };
    // The first match at `from` or behind it, in a text that begins at 0; empty: there is none.
    [[nodiscard]] std::vector<Span> find(std::string_view text, std::size_t from) const;

private:
    explicit Pattern(std::shared_ptr<const re2::RE2> expression);

    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace renderer
