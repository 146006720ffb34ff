#include "renderer/plan/device_tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/annotations.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/tags.h"

namespace renderer::plan {

// An empty annotation means one empty tag, which is malformed. The default tags are checked with
// the settings.
std::vector<std::string> plan_tags(const classify::ParentInput& parent, const Settings& settings,
                                   Diagnostics& diagnostics) {
    const Value* wanted = parent.annotation(annotation::kTags);
    if (wanted == nullptr || !wanted->is_string()) {
        return settings.default_tags;
    }
    std::vector<std::string> tags = split_tags(wanted->text());
    if (tags.empty()) {
        tags.emplace_back();
    }
    for (const std::string& tag : tags) {
        if (const std::string_view wrong = tag_error(tag); !wrong.empty()) {
            classify::about(parent, diagnostics)
                .error("invalid-tag", wanted->pos(),
                       fmt::format("invalid tag \"{}\": {}", tag, wrong))
                .found(fmt::format("\"{}\"", wanted->text()))
                .expected("tags such as \"tag:web\", separated by commas");
        }
    }
    return tags;
}

std::vector<std::string> spec_tags(const std::vector<classify::TextInput>& tags,
                                   const std::vector<std::string>& fallback) {
    std::vector<std::string> texts;
    texts.reserve(tags.size());
    for (const classify::TextInput& tag : tags) {
        texts.emplace_back(tag.text);
    }
    return texts.empty() ? fallback : texts;
}

std::vector<std::string> device_tags(std::vector<std::string> tags, const Settings& settings) {
    const std::string& mark = settings.take_over_tag;
    if (!mark.empty() && std::ranges::find(tags, mark) == tags.end()) {
        tags.push_back(mark);
    }
    return tags;
}

}  // namespace renderer::plan
