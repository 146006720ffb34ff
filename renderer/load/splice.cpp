#include "renderer/load/splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "renderer/base/printable.h"
#include "renderer/core/quoted_scalar.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::load {

namespace {

std::size_t line_start(std::string_view text, std::size_t offset) {
    const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
}

std::string_view line_end(std::string_view text, std::size_t offset) {
    const std::size_t newline = text.find('\n', offset);
    const bool crlf = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r';
    return crlf ? "\r\n" : "\n";
}

std::string spelled(std::string_view text) {
    return needs_quotes(text) ? quoted_scalar(text) : std::string(text);
}

// Spells a scalar so that it can be between brackets and commas.
std::string spelled_in_flow(std::string_view text) {
    return text.find_first_of(",[]{}") == std::string_view::npos ? spelled(text)
                                                                 : quoted_scalar(text);
}

// Spells a scalar in the quotes of the one that it replaces, if it needs no escapes.
std::string spelled_like(char quote, std::string_view text) {
    const bool is_plain =
        is_printable(text) && text.find_first_of("\"\\'") == std::string_view::npos;
    return is_plain ? fmt::format("{0}{1}{0}", quote, text) : quoted_scalar(text);
}

// Returns how many nodes of the tree have this position. More than one: aliases share it.
std::size_t count_at(const Value& value, Pos place) {
    // A block map has the position of its first key, so keys are not counted.
    std::size_t count = 0;
    repo::for_each_value(value, [&](const Value& one) { count += one.pos() == place ? 1 : 0; });
    return count;
}

// Returns the offset of a node that is in the document itself, and not shared by aliases.
std::optional<std::size_t> own_offset(const Spliced& document, const Value& value) {
    if (!value.pos().known() || document.sources.source_of(value.pos()) != document.source) {
        return std::nullopt;
    }
    const std::size_t offset = document.sources.offset_of(value.pos());
    const bool inside = offset >= document.range.begin && offset < document.range.end;
    if (!inside || count_at(document.root, value.pos()) != 1) {
        return std::nullopt;
    }
    return offset;
}

bool ends_scalar(std::string_view text, std::size_t offset) {
    return offset >= text.size() ||
           std::string_view(" \t\r\n,]}").find(text[offset]) != std::string_view::npos;
}

Edit flow_insert(const Spliced& document, std::size_t open, const Value& map, std::string_view key,
                 std::string_view value) {
    const std::string_view text = document.sources.text(document.source);
    const std::size_t next = text.find_first_not_of(" \t\r\n", open + 1);
    const bool quoted = next != std::string_view::npos && text[next] == '"';
    const std::string_view comma = map.size() == 0 ? "" : next == open + 1 ? ", " : ",";
    std::string member = quoted ? fmt::format("\"{}\": {}{}", key, quoted_scalar(value), comma)
                                : fmt::format("{}: {}{}", key, spelled_in_flow(value), comma);
    return {.source = document.source,
            .begin = open + 1,
            .end = open + 1,
            .replacement = std::move(member),
            .reason = {}};
}

}  // namespace

std::optional<Edit> replace_scalar(const Spliced& document, const Value& scalar,
                                   std::string_view replacement) {
    const std::optional<std::size_t> offset = own_offset(document, scalar);
    if (!offset || !scalar.is_string()) {
        return std::nullopt;
    }
    const std::string_view text = document.sources.text(document.source);
    const std::string_view old = scalar.text();
    const char first = text[*offset];
    Edit edit{.source = document.source, .begin = *offset, .replacement = {}, .reason = {}};
    if ((first == '"' || first == '\'') && text.substr(*offset + 1, old.size()) == old &&
        *offset + 1 + old.size() < text.size() && text[*offset + 1 + old.size()] == first) {
        edit.end = *offset + old.size() + 2;
        edit.replacement = spelled_like(first, replacement);
        return edit;
    }
    if (old.empty() || text.substr(*offset, old.size()) != old ||
        !ends_scalar(text, *offset + old.size())) {
        return std::nullopt;
    }
    edit.end = *offset + old.size();
    edit.replacement = spelled_in_flow(replacement);
    return edit;
}

std::optional<Edit> insert_member(const Spliced& document, const Value& map, std::string_view key,
                                  std::string_view value) {
    const std::optional<std::size_t> offset = own_offset(document, map);
    if (!offset || !map.is_map()) {
        return std::nullopt;
    }
    const std::string_view text = document.sources.text(document.source);
    if (text[*offset] == '{') {
        return flow_insert(document, *offset, map, key, value);
    }
    const std::size_t start = line_start(text, *offset);
    const std::string_view before = text.substr(start, *offset - start);
    if (before.find_first_not_of(" -") != std::string_view::npos ||
        std::string_view("&!*").find(text[*offset]) != std::string_view::npos) {
        return std::nullopt;
    }
    return Edit{
        .source = document.source,
        .begin = *offset,
        .end = *offset,
        .replacement = fmt::format("{}: {}{}{}", key, spelled(value), line_end(text, *offset),
                                   std::string(before.size(), ' ')),
        .reason = {}};
}

std::optional<Edit> set_member(const Spliced& document, const Value& map, std::string_view key,
                               std::string_view value) {
    const Value* existing = map.find(key);
    return existing == nullptr ? insert_member(document, map, key, value)
                               : replace_scalar(document, *existing, value);
}

Edit insert_line(const SourceMap& sources, SourceId source, Pos place, std::string_view key,
                 std::string_view value) {
    const std::string_view text = sources.text(source);
    const std::size_t start = line_start(text, sources.offset_of(place));
    const std::size_t content = text.find_first_not_of(' ', start);
    const std::string_view indentation = text.substr(start, content - start);
    return {.source = source,
            .begin = start,
            .end = start,
            .replacement =
                fmt::format("{}{}: {}{}", indentation, key, spelled(value), line_end(text, start)),
            .reason = {}};
}

void check_edits(const SourceMap& sources, std::span<Edit> edits, Diagnostics& diagnostics) {
    std::ranges::sort(edits, {},
                      [](const Edit& edit) { return std::tie(edit.source, edit.begin, edit.end); });
    const auto clash = std::ranges::adjacent_find(edits, [](const Edit& a, const Edit& b) {
        return a.source == b.source && b.begin < std::max(a.end, a.begin + 1);
    });
    if (clash != edits.end()) {
        diagnostics
            .error("cannot-edit", sources.pos(clash->source, clash->begin),
                   "two documents share this text, so it cannot be changed for only one of them")
            .found(
                fmt::format("edits for \"{}\" and \"{}\"", clash->reason, std::next(clash)->reason))
            .hint("repeat the text where it is used");
    }
}

}  // namespace renderer::load
