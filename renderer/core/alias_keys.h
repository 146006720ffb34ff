// Aliases as keys: `*app: x`. The parsers of Kubernetes tools end an alias at the colon, while YAML
// 1.2 and yaml-cpp allow colons in its name. With a blank before the colon both read the same:
// https://yaml.org/spec/1.2.2/#71-alias-nodes
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::inline core {

struct AliasKey {
    std::size_t begin = 0;  // of the `*`
    std::size_t colon = 0;
};

// Finds what looks like an alias key, in order. A match inside a comment or a scalar is not one;
// only the parser can tell.
std::vector<AliasKey> find_alias_keys(std::string_view text);

// A text with a blank before the colon of each of these keys. A view of `text` if there are none.
class SpacedText {
public:
    SpacedText(std::string_view text, const std::vector<AliasKey>& keys);

    [[nodiscard]] std::string_view text() const { return colons_.empty() ? original_ : spaced_; }
    // Maps an offset in text() to the original.
    [[nodiscard]] std::size_t original_offset(std::size_t offset) const;

private:
    std::string_view original_;
    std::string spaced_;
    std::vector<std::size_t> colons_;  // in spaced_
};

}  // namespace renderer::inline core
