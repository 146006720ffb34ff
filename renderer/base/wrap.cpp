#include "renderer/base/wrap.h"

#include <algorithm>

#include "renderer/base/utf8.h"

namespace renderer::inline base {
namespace {

// Returns the size of the colour that begins at `at`; 0 if none does.
std::size_t color_size(std::string_view text, std::size_t at) {
    if (!text.substr(at).starts_with("\x1b[")) {
        return 0;
    }
    const std::size_t end = text.find('m', at);
    return end == std::string_view::npos ? 0 : end + 1 - at;
}

std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t size = color_size(text, at); size > 0) {
            at += size;
            continue;
        }
        width += is_continuation(text[at]) ? 0 : 1;
        ++at;
    }
    return width;
}

void append_wrapped(std::string_view line, std::size_t width, std::size_t indent,
                    std::string& out) {
    const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
    out += line.substr(0, margin);
    std::size_t used = margin;
    for (std::size_t at = margin; at < line.size();) {
        const std::size_t begin = std::min(line.find_first_not_of(' ', at), line.size());
        const std::size_t end = std::min(line.find(' ', begin), line.size());
        const std::size_t added = begin - at + width_of(line.substr(begin, end - begin));
        if (at > margin && used + added > width) {
            out += '\n';
            out.append(indent, ' ');
            used = indent + added - (begin - at);
            out += line.substr(begin, end - begin);
        } else {
            used += added;
            out += line.substr(at, end - at);
        }
        at = end;
    }
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    if (width == 0) {
        return std::string(text);
    }
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        append_wrapped(text.substr(begin, end - begin), width, indent, out);
        if (end < text.size()) {
            out += '\n';
        }
        begin = end + 1;
    }
    return out;
}

}  // namespace renderer::inline base
