// An immutable string that takes only a pointer while it is empty. It is for copies of thousands of
// objects whose fields are mostly empty; use std::string for text that is edited.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace runtime::inline base {

class Text {
public:
    Text() = default;
    // NOLINTBEGIN(google-explicit-constructor): Text is used in place of a string
    Text(std::string_view text) {
        if (!text.empty()) {
            const auto size = static_cast<std::uint32_t>(text.size());
            bytes_ = std::make_unique_for_overwrite<char[]>(sizeof size + size);
            std::memcpy(bytes_.get(), &size, sizeof size);
            std::memcpy(bytes_.get() + sizeof size, text.data(), size);
        }
    }
    Text(const std::string& text) : Text(std::string_view(text)) {}
    Text(const char* text) : Text(std::string_view(text)) {}
    Text(const Text& other) : Text(other.view()) {}
    Text(Text&&) noexcept = default;
    Text& operator=(const Text& other) { return *this = Text(other); }
    Text& operator=(Text&&) noexcept = default;
    ~Text() = default;

    [[nodiscard]] bool empty() const { return bytes_ == nullptr; }
    [[nodiscard]] std::string_view view() const {
        if (bytes_ == nullptr) {
            return {};
        }
        std::uint32_t size = 0;
        std::memcpy(&size, bytes_.get(), sizeof size);
        return {bytes_.get() + sizeof size, size};
    }
    operator std::string_view() const { return view(); }
    operator std::string() const { return std::string(view()); }
    // NOLINTEND(google-explicit-constructor)

    template <std::convertible_to<std::string_view> Other>
    friend bool operator==(const Text& a, const Other& b) {
        return a.view() == std::string_view(b);
    }
    template <std::convertible_to<std::string_view> Other>
    friend std::strong_ordering operator<=>(const Text& a, const Other& b) {
        return a.view() <=> std::string_view(b);
    }

private:
    std::unique_ptr<char[]> bytes_;  // the size, followed by the bytes
};

}  // namespace runtime::inline base

template <>
struct fmt::formatter<runtime::Text> : fmt::formatter<std::string_view> {
    template <typename Context>
    auto format(const runtime::Text& text, Context& context) const {
        return fmt::formatter<std::string_view>::format(text.view(), context);
    }
};
