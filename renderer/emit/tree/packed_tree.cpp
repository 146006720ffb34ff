#include "renderer/emit/tree/packed_tree.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <utility>

#include "renderer/base/check.h"

namespace renderer::emit {

namespace {

// Appends "5:hello".
void put(std::string_view text, std::string& out) {
    fmt::format_to(std::back_inserter(out), "{}:{}", text.size(), text);
}

void put(std::size_t count, std::string& out) {
    put(fmt::format("{}", count), out);
}

void put(const std::vector<repo::InventoryDevice>& devices, std::string& out) {
    put(devices.size(), out);
    for (const repo::InventoryDevice& one : devices) {
        for (const auto& [key, field] : repo::kDeviceFields) {
            put(one.*field, out);
        }
    }
}

// Takes apart what `put` made.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::string text() {
        std::size_t size = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
        CHECK(error == std::errc() && *end == ':');
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()) + 1);
        std::string taken(text_.substr(0, size));
        text_.remove_prefix(size);
        return taken;
    }

    std::size_t count() {
        const std::string digits = text();
        std::size_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return number;
    }

    std::vector<repo::InventoryDevice> devices() {
        std::vector<repo::InventoryDevice> devices(count());
        for (repo::InventoryDevice& one : devices) {
            for (const auto& [key, field] : repo::kDeviceFields) {
                one.*field = text();
            }
        }
        return devices;
    }

private:
    std::string_view text_;
};

}  // namespace

PackedTree::PackedTree(RenderedTree tree, Packing packing)
    : dir_(tree.dir), is_gone_(tree.is_gone) {
    if (packing == Packing::None || is_gone_) {  // a gone tree has no files
        tree_ = std::make_shared<const RenderedTree>(std::move(tree));
        return;
    }
    std::string text;
    put(tree.files.size(), text);
    for (const OutputFile& file : tree.files) {
        put(file.path, text);
        put(file.content, text);
    }
    for (const auto& [key, list] : repo::kDeviceLists) {
        put(tree.inventory.*list, text);
    }
    tree_ = PackedText(text);
}

std::shared_ptr<const RenderedTree> PackedTree::unpack() const {
    const auto* packed = std::get_if<PackedText>(&tree_);
    if (packed == nullptr) {
        return std::get<std::shared_ptr<const RenderedTree>>(tree_);
    }
    const std::string text = packed->unpack();
    Reader reader(text);
    auto tree = std::make_shared<RenderedTree>();
    tree->dir = dir_;
    tree->files.resize(reader.count());
    for (OutputFile& file : tree->files) {
        file.path = reader.text();
        file.content = reader.text();
    }
    for (const auto& [key, list] : repo::kDeviceLists) {
        tree->inventory.*list = reader.devices();
    }
    return tree;
}

}  // namespace renderer::emit
