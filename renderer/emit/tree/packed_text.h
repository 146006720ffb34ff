// Text that waits until something else is known. It is compressed, since there may be much of it.
#pragma once

#include <cstddef>
#include <string>

namespace renderer::emit {

class PackedText {
public:
    explicit PackedText(const std::string& text);

    [[nodiscard]] std::string unpack() const;

private:
    std::string bytes_;
    std::size_t size_;  // of the text
};

}  // namespace renderer::emit
