#include "renderer/repo/lfs_pointer.h"

#include <charconv>
#include <utility>

namespace renderer::repo {

namespace {

constexpr std::string_view kLfsVersion = "version https://git-lfs.github.com/spec/v1\n";
constexpr std::string_view kId = "oid sha256:";
constexpr std::string_view kSize = "size ";
constexpr std::size_t kLongest = 1024;  // bytes; by the specification no pointer is longer
constexpr std::size_t kDigits = 64;

std::string_view line_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos || text[at - 1] != '\n') {
        return {};
    }
    text.remove_prefix(at + key.size());
    return text.substr(0, text.find_first_of("\r\n"));
}

bool is_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::optional<LfsPointer> parse_lfs_pointer(std::string_view text) {
    if (text.size() > kLongest || !text.starts_with(kLfsVersion)) {
        return std::nullopt;
    }
    const std::string_view id = line_after(text, kId);
    const std::string_view size = line_after(text, kSize);
    LfsPointer pointer{.sha256 = std::string(id)};
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), pointer.size);
    if (id.size() != kDigits || !is_hex(id) || error != std::errc()) {
        return std::nullopt;
    }
    return pointer;
}

Error lfs_pointer_error(const std::string& path, std::string hint) {
    return {{.rule = "lfs-pointer",
             .where = path,
             .message = "the file is in Git LFS, and only its pointer is here",
             .hint = std::move(hint)}};
}

}  // namespace renderer::repo
