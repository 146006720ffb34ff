// Regular expressions as CRDs use them: literals, escapes, `.`, classes, groups, alternatives,
// `* + ?`, `{m,n}`, `^` and `$`. Matches in time linear in the text, whatever the pattern. Refuses
// (no value) everything else, such as `\d`, lazy quantifiers and flags.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace renderer {

class Pattern {
public:
    static std::optional<Pattern> parse(std::string_view text);

    // Anywhere in the text, unless the pattern has anchors.
    [[nodiscard]] bool matches(std::string_view text) const;

private:
    enum class Op : unsigned char { Bytes, Split, Begin, End, Match };
    struct Step {
        Op op = Op::Match;
        std::size_t next = 0;
        std::size_t other = 0;     // Split
        std::bitset<256> bytes{};  // Bytes
    };
    struct Parser;

    void follow(std::size_t step, std::size_t at, std::size_t size, std::vector<std::size_t>& set,
                std::vector<std::size_t>& seen) const;

    std::vector<Step> steps_;
    std::size_t start_ = 0;
};

}  // namespace renderer
