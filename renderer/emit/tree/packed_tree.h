// A rendered tree that waits until the trees of all clusters are known, since nothing is written
// before. It is compressed, so that many clusters need little more memory than one.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "renderer/emit/emit.h"
#include "renderer/emit/tree/packed_text.h"

namespace renderer::emit {

class PackedTree {
public:
    enum class Packing { None, Deflate };

    PackedTree(RenderedTree tree, Packing packing);

    [[nodiscard]] const std::string& dir() const { return dir_; }
    [[nodiscard]] bool is_gone() const { return is_gone_; }
    // True if each call of `unpack` makes another copy.
    [[nodiscard]] bool is_packed() const { return std::holds_alternative<PackedText>(tree_); }
    [[nodiscard]] std::shared_ptr<const RenderedTree> unpack() const;

private:
    std::string dir_;
    bool is_gone_;
    std::variant<std::shared_ptr<const RenderedTree>, PackedText> tree_;
};

}  // namespace renderer::emit
