#include "renderer/core/server_url.h"

#include <algorithm>

namespace renderer {

std::string_view server_of_url(std::string_view text) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (text.starts_with(scheme)) {
            const bool is_printable =
                std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
            text.remove_prefix(scheme.size());
            return is_printable ? text.substr(0, text.find('/')) : std::string_view();
        }
    }
    return {};
}

}  // namespace renderer
