#include "renderer/base/white_space.h"

#include <algorithm>
#include <array>

namespace renderer::inline base {

namespace {

constexpr std::array<std::string_view, 25> kCharacters = {
    " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
    "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
    "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

}  // namespace

std::string_view trim_front(std::string_view text) {
    const auto is_first = [&](std::string_view one) { return text.starts_with(one); };
    for (auto found = std::ranges::find_if(kCharacters, is_first); found != kCharacters.end();
         found = std::ranges::find_if(kCharacters, is_first)) {
        text.remove_prefix(found->size());
    }
    return text;
}

std::string_view trim(std::string_view text) {
    text = trim_front(text);
    const auto is_last = [&](std::string_view one) { return text.ends_with(one); };
    for (auto found = std::ranges::find_if(kCharacters, is_last); found != kCharacters.end();
         found = std::ranges::find_if(kCharacters, is_last)) {
        text.remove_suffix(found->size());
    }
    return text;
}

}  // namespace renderer::inline base
