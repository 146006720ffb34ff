#include "renderer/plan/tags.h"

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/base/white_space.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kPrefix = "tag:";

bool is_tag_char(char c) {
    return is_alphanumeric(c) || c == '-';
}

}  // namespace

std::string_view tag_error(std::string_view tag) {
    if (!tag.starts_with(kPrefix)) {
        return "tags must start with 'tag:'";
    }
    tag.remove_prefix(kPrefix.size());
    if (tag.empty()) {
        return "tag names must not be empty";
    }
    if (!is_letter(tag.front())) {
        return "tag names must start with a letter, after 'tag:'";
    }
    if (!std::ranges::all_of(tag, is_tag_char)) {
        return "tag names can only contain numbers, letters, or dashes";
    }
    return {};
}

std::vector<std::string> split_tags(std::string_view text) {
    std::vector<std::string> tags;
    for (const std::string_view tag : split(text, ',')) {
        tags.emplace_back(trim(tag));
    }
    if (text.ends_with(',')) {
        tags.emplace_back();
    }
    return tags;
}

}  // namespace renderer::plan
