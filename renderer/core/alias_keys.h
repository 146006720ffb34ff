// Aliases as keys, `*app: x`. The parsers of Kubernetes tools end an alias at the colon; YAML 1.2
// lets a name hold colons, and so does yaml-cpp. A blank in front of the colon means the same to
// both: https://yaml.org/spec/1.2.2/#71-alias-nodes
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace renderer {

struct AliasKey {
    std::size_t begin = 0;  // of the `*`
    std::size_t colon = 0;
};

// What looks like one, in their order: in a comment, or inside of a scalar, it is none.
std::vector<AliasKey> find_alias_keys(std::string_view text);

// A text with a blank in front of the colon of each of these keys. Views `text` when there is none.
class SpacedText {
public:
    SpacedText(std::string_view text, const std::vector<AliasKey>& keys);

    [[nodiscard]] std::string_view text() const { return colons_.empty() ? original_ : spaced_; }
    // Of a byte of text(), in the original.
    [[nodiscard]] std::size_t original_offset(std::size_t offset) const;

private:
    std::string_view original_;
    std::string spaced_;
    std::vector<std::size_t> colons_;  // in spaced_
};

}  // namespace renderer
