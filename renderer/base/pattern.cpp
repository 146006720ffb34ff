#include "renderer/base/pattern.h"

#include <re2/re2.h>

#include <utility>

namespace renderer::inline base {

Pattern::Pattern(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}

std::optional<Pattern> Pattern::parse(std::string_view text) {
    auto expression =
        std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), RE2::Quiet);
    return expression->ok() ? std::optional(Pattern(std::move(expression))) : std::nullopt;
}

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

std::vector<Pattern::Span> Pattern::find(std::string_view text, std::size_t from) const {
    const int count = expression_->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(count));
    std::vector<Span> spans;
    if (expression_->Match(re2::StringPiece(text.data(), text.size()), from, text.size(),
                           re2::RE2::UNANCHORED, found.data(), count)) {
        for (const re2::StringPiece& piece : found) {
            const auto begin = static_cast<std::size_t>(piece.data() - text.data());
            spans.push_back(piece.data() == nullptr ? Span() : Span{begin, begin + piece.size()});
        }
    }
    return spans;
}

}  // namespace renderer::inline base
