#include "runtime/base/url.h"

#include <fmt/format.h>

#include "renderer/core/ascii.h"

namespace runtime {

std::string escape_url(std::string_view text) {
    constexpr std::string_view kMarks = "-_.~";
    std::string out;
    for (const char byte : text) {
        const bool plain =
            renderer::is_alphanumeric(byte) || kMarks.find(byte) != std::string_view::npos;
        if (plain) {
            out += byte;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
        }
    }
    return out;
}

}  // namespace runtime
