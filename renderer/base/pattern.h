// Regular expressions as Go's package regexp takes them, which the API server uses for the patterns
// of CRDs and SOPS for its rules: https://github.com/google/re2/wiki/Syntax. Matches in time linear
// in the text, whatever the pattern.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

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

private:
    explicit Pattern(std::shared_ptr<const re2::RE2> expression);

    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace renderer
