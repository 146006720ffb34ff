// Functions of regular expressions. Source: Go regexp.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/pattern.h"
#include "renderer/base/utf8.h"
#include "renderer/engines/templates/go_number.h"
#include "renderer/engines/templates/template_functions.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

using PatternMatch = std::vector<Pattern::Span>;
using Matches = std::vector<PatternMatch>;

constexpr std::size_t kLongestSearched = 1U << 16U;

// Parses a pattern that Go also accepts, with the same meaning in each of its releases. Unicode
// classes and named groups differ between releases, so they are refused.
std::optional<Pattern> pattern_of(std::string_view text) {
    const bool is_ascii =
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const bool has_more =
        text.find("\\p") != std::string_view::npos || text.find("\\P") != std::string_view::npos ||
        text.find("\\C") != std::string_view::npos || text.find("(?P") != std::string_view::npos ||
        text.find("(?<") != std::string_view::npos;
    const bool folds = !is_ascii && text.find("(?") != std::string_view::npos;
    return has_more || folds || find_bad_utf8(text) != std::string_view::npos
               ? std::nullopt
               : Pattern::parse(text);
}

// Returns the first `most` matches, or all if it is negative. An empty match directly after another
// one does not count. Returns nothing if the call fails.
std::optional<Matches> matches_in(TemplateCall& call, std::int64_t most) {
    const std::string& text = call.text(1);
    const std::optional<Pattern> pattern = pattern_of(call.text(0));
    if (!pattern) {
        call.fail(fmt::format("the pattern \"{}\"", call.text(0)));
        return std::nullopt;
    }
    if (text.size() > kLongestSearched || find_bad_utf8(text) != std::string::npos) {
        call.fail("a text that only Go can search");
        return std::nullopt;
    }
    Matches found;
    std::size_t from = 0;
    std::size_t last_end = std::string::npos;
    while (from <= text.size() && (most < 0 || static_cast<std::int64_t>(found.size()) < most)) {
        PatternMatch match = pattern->find(text, from);
        if (match.empty()) {
            break;
        }
        const Pattern::Span whole = match.front();
        const std::size_t next =
            from +
            (from < text.size() ? front_character(std::string_view(text).substr(from)).size : 1);
        if (whole.begin != whole.end || whole.end != last_end) {
            found.push_back(std::move(match));
        }
        last_end = whole.end;
        from = whole.end > from ? whole.end : next;
    }
    return found;
}

std::string_view spanned_text(std::string_view text, Pattern::Span span) {
    return text.substr(span.begin, span.end - span.begin);
}

GoValue match_text(TemplateCall& call) {
    const auto found = matches_in(call, 1);
    return found ? GoValue::flag(!found->empty()) : GoValue();
}

GoValue find_text(TemplateCall& call) {
    const auto found = matches_in(call, 1);
    if (!found || found->empty()) {
        return GoValue::text("");
    }
    return GoValue::text(std::string(spanned_text(call.text(1), found->front().front())));
}

GoValue find_all_texts(TemplateCall& call) {
    const auto found = matches_in(call, call.arguments[2].whole());
    std::vector<std::string> texts;
    for (const auto& match : found.value_or(Matches())) {
        texts.emplace_back(spanned_text(call.text(1), match.front()));
    }
    return texts.empty() ? GoValue::list(nullptr, GoElement::Text) : call.heap.texts(texts);
}

// Replaces `$1` and `${1}`. The name of a group that does not exist becomes "".
std::string expanded(std::string_view by, const PatternMatch& match, std::string_view text) {
    std::string out;
    while (true) {
        const std::size_t mark = by.find('$');
        out += by.substr(0, mark);
        if (mark == std::string_view::npos) {
            return out;
        }
        by.remove_prefix(mark + 1);
        if (by.starts_with('$')) {
            out += '$';
            by.remove_prefix(1);
            continue;
        }
        const bool is_braced = by.starts_with('{');
        std::size_t end = is_braced ? 1 : 0;
        while (end < by.size() && (is_alphanumeric(by[end]) || by[end] == '_')) {
            ++end;
        }
        const std::string_view name = by.substr(is_braced ? 1 : 0, end - (is_braced ? 1 : 0));
        if (name.empty() || (is_braced && (end == by.size() || by[end] != '}'))) {
            out += '$';
            continue;
        }
        by.remove_prefix(end + (is_braced ? 1 : 0));
        const bool is_number = std::ranges::all_of(name, is_digit) && name.size() < 4 &&
                               (name.size() == 1 || name[0] != '0');
        const std::size_t group = is_number
                                      ? static_cast<std::size_t>(parse_integer(name, false).value)
                                      : std::string::npos;
        if (is_number && group < match.size() && match[group].end != std::string_view::npos) {
            out += spanned_text(text, match[group]);
        }
    }
}

GoValue replace_all_matches(TemplateCall& call) {
    const auto found = matches_in(call, -1);
    if (!found) {
        return {};
    }
    const std::string& text = call.text(1);
    const std::string& by = call.text(2);
    if (!std::ranges::all_of(by, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        return call.fail("characters beyond ASCII");
    }
    if (by.size() * found->size() > std::size_t{1} << 24U) {
        return call.fail("its result is too long");
    }
    const bool is_literal = call.name.ends_with("Literal");
    std::string out;
    std::size_t from = 0;
    for (const auto& match : *found) {
        out += text.substr(from, match.front().begin - from);
        out += is_literal ? by : expanded(by, match, text);
        from = match.front().end;
        if (out.size() > std::size_t{1} << 24U) {
            return call.fail("its result is too long");
        }
    }
    return GoValue::text(out + text.substr(from));
}

GoValue split_by_matches(TemplateCall& call) {
    const std::string& text = call.text(1);
    const std::int64_t most = call.arguments[2].whole();
    const auto found = matches_in(call, most);
    if (!found || most == 0) {
        return GoValue::list(nullptr, GoElement::Text);
    }
    if (!call.text(0).empty() && text.empty()) {
        return call.heap.texts({""});
    }
    std::vector<std::string> parts;
    std::size_t from = 0;
    std::size_t end = 0;
    for (const auto& match : *found) {
        if (most > 0 && static_cast<std::int64_t>(parts.size()) == most - 1) {
            break;
        }
        end = match.front().begin;
        if (match.front().end != 0) {
            parts.push_back(text.substr(from, end - from));
        }
        from = match.front().end;
    }
    if (end != text.size()) {
        parts.push_back(text.substr(from));
    }
    return call.heap.texts(parts);
}

GoValue quote_pattern(TemplateCall& call) {
    std::string out;
    for (const char c : call.text(0)) {
        out += std::string_view("\\.+*?()|[]{}^$").find(c) == std::string_view::npos ? "" : "\\";
        out += c;
    }
    return GoValue::text(std::move(out));
}

constexpr auto kPatterns = std::to_array<TemplateFunction>({
    {"regexMatch", "ss", match_text},
    {"mustRegexMatch", "ss", match_text},
    {"regexFind", "ss", find_text},
    {"mustRegexFind", "ss", find_text},
    {"regexFindAll", "ssi", find_all_texts},
    {"mustRegexFindAll", "ssi", find_all_texts},
    {"regexReplaceAll", "sss", replace_all_matches},
    {"mustRegexReplaceAll", "sss", replace_all_matches},
    {"regexReplaceAllLiteral", "sss", replace_all_matches},
    {"mustRegexReplaceAllLiteral", "sss", replace_all_matches},
    {"regexSplit", "ssi", split_by_matches},
    {"mustRegexSplit", "ssi", split_by_matches},
    {"regexQuoteMeta", "s", quote_pattern},
});

}  // namespace

std::span<const TemplateFunction> pattern_functions() {
    return kPatterns;
}

}  // namespace renderer::engines
