#include "runtime/base/url.h"

#include <fmt/format.h>

#include "renderer/base/ascii.h"
#include "renderer/kube/server_url.h"

namespace runtime::inline base {

std::optional<std::string> server_url(std::string_view text) {
    while (text.ends_with('/')) {
        text.remove_suffix(1);
    }
    return renderer::is_server_url(text) ? std::optional(std::string(text)) : std::nullopt;
}

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

}  // namespace runtime::inline base
