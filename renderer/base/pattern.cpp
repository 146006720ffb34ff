#include "renderer/base/pattern.h"

#include <re2/re2.h>

#include <utility>

namespace renderer {

Pattern::Pattern(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}

std::optional<Pattern> Pattern::parse(std::string_view text) {
    auto expression =
        std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), RE2::Quiet);
    return expression->ok() ? std::optional(Pattern(std::move(expression))) : std::nullopt;
}

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

}  // namespace renderer
