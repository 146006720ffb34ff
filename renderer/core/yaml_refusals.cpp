#include "renderer/core/yaml_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/base/utf8.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::inline core {

namespace {

// Such an error is nearly always about a tab at the start of the line.
std::optional<Pos> tab_before(const SourceMap& sources, Pos place) {
    const SourceId source = sources.source_of(place);
    const std::string_view text = sources.text(source);
    const std::size_t offset = std::min(sources.offset_of(place), text.size());
    const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    std::size_t i = newline == std::string_view::npos ? 0 : newline + 1;
    while (i < text.size() && text[i] == ' ') {
        ++i;
    }
    return i < text.size() && text[i] == '\t' ? std::optional(sources.pos(source, i))
                                              : std::nullopt;
}

}  // namespace

Diagnostic bad_character(Pos place, std::string_view rest) {
    const auto byte = static_cast<unsigned char>(rest.front());
    if (find_bad_utf8(rest.substr(0, 4)) == 0) {
        return {.rule = "bad-utf8",
                .pos = place,
                .message = "text is not UTF-8",
                .found = fmt::format("byte 0x{:02x}", byte),
                .expected = "UTF-8 text",
                .hint = "save the file as UTF-8; put binary data in base64"};
    }
    return {.rule = "yaml-character",
            .pos = place,
            .message = "control character in the text",
            .found = fmt::format("byte 0x{:02x}", byte),
            .expected = "printable characters, spaces, tabs and line breaks",
            .hint = "write it as an escape in double quotes; put binary data in base64"};
}

Diagnostic syntax_error(const SourceMap& sources, Pos place, std::string message) {
    if (const std::optional<Pos> tab = tab_before(sources, place)) {
        return {.rule = "tab-indentation",
                .pos = *tab,
                .message = "tab in the indentation",
                .found = "a tab",
                .expected = "spaces",
                .hint = "YAML allows only spaces there: replace the tab"};
    }
    Diagnostic diagnostic{.rule = "yaml-syntax", .pos = place, .message = std::move(message)};
    const bool is_map = diagnostic.message == "end of map flow not found";
    if (is_map || diagnostic.message == "end of sequence flow not found") {
        diagnostic.message =
            fmt::format("a \"{}\" before this place is not closed", is_map ? '{' : '[');
        diagnostic.expected = is_map ? "\"}\"" : "\"]\"";
        diagnostic.hint = "count the brackets of this line and of those above it";
        return diagnostic;
    }
    diagnostic.expected = "YAML";
    diagnostic.hint = "look at the quotes, brackets and indentation at this place and above it";
    if (diagnostic.message.starts_with("the referenced anchor is not defined")) {
        diagnostic.message = "alias refers to an anchor that is not defined before it";
        diagnostic.expected = "an anchor of that name above";
        diagnostic.hint = "an anchor is only valid up to the next \"---\"";
    }
    if (diagnostic.message == "illegal map value") {
        diagnostic.message = "a second colon, with a space behind it, in a value";
        diagnostic.expected = "one \"key: value\" on a line";
        diagnostic.hint = "put the value in quotes, or the second key on a line of its own";
    }
    if (diagnostic.message == "end of map not found" ||
        diagnostic.message == "end of sequence not found") {
        diagnostic.message = "this line does not continue what is above it";
        diagnostic.expected = "the indentation of a line above, and \"key: value\" or \"- item\"";
        diagnostic.hint =
            "look for a missing colon, and compare its indentation with that of the lines above it";
    }
    if (diagnostic.message.starts_with("invalid unicode")) {
        diagnostic.message = "invalid Unicode escape";
        diagnostic.expected = "escapes of Unicode characters";
        diagnostic.hint = "surrogates are not characters: write the character itself";
    }
    return diagnostic;
}

Diagnostic wrong_key(const SourceMap& sources, SourceId source, Pos place, const Value& value) {
    const std::string_view before = sources.text(source).substr(0, sources.offset_of(place) + 1);
    if (before.ends_with("{{")) {
        return {.rule = "yaml-key",
                .pos = place,
                .message = "\"{{\" is not YAML: this looks like a Helm template",
                .expected = "what the template makes",
                .hint = "render its chart first: helm template CHART | tailrender post-render"};
    }
    return {.rule = "yaml-key",
            .pos = place,
            .message = fmt::format("{} in place of a key", kind_name(value)),
            .expected = "a string",
            .hint = "quote the key, or put a space after its colon"};
}

Diagnostic duplicate_key(std::string_view key, Pos first, Pos second) {
    return {.rule = "duplicate-key",
            .pos = second,
            .message = fmt::format("duplicate key \"{}\"", key),
            .found = fmt::format("a second \"{}\"", key),
            .expected = "each key once",
            .hint = "remove one of them; tools disagree about which one wins",
            .notes = {{.pos = first, .text = "the first one is here"}}};
}

Diagnostic overridden_key(std::string_view key, Pos own, Pos merge) {
    return {.severity = Severity::Warning,
            .rule = std::string(kDisagreement),
            .pos = own,
            .message = fmt::format("tools disagree about the value of \"{}\"", key),
            .found = "another value of this key in the map that \"<<\" merges below it",
            .expected = "keys of the map itself below \"<<\"",
            .hint =
                "move \"<<\" to the top of the map: kustomize and Flux take this value, kubectl "
                "and Argo CD the merged one",
            .notes = {{.pos = merge, .text = "the map is merged here"}}};
}

std::vector<Diagnostic> duplicate_keys(std::vector<RepeatedKey> repeated, Pos map, bool as_helm) {
    std::erase_if(repeated,
                  [&](const RepeatedKey& key) { return std::min(key.first, key.second) < map; });
    const auto has = [&](std::string_view name) {
        return std::ranges::find(repeated, name, &RepeatedKey::name) != repeated.end();
    };
    std::vector<Diagnostic> mistakes;
    if (!as_helm && has("apiVersion") && has("kind")) {
        const auto second = std::ranges::min_element(repeated, {}, &RepeatedKey::second);
        mistakes.push_back({.rule = "duplicate-key",
                            .pos = second->second,
                            .message = "a second object begins here, and no \"---\" is before it",
                            .found = fmt::format("a second \"{}\"", second->name),
                            .expected = "a line with \"---\" between two objects",
                            .hint = "add that line here",
                            .notes = {{.pos = second->first, .text = "the first one is here"}}});
        return mistakes;
    }
    for (const RepeatedKey& key : repeated) {
        mistakes.push_back(duplicate_key(key.name, key.first, key.second));
    }
    return mistakes;
}

Diagnostic as_helm_reads_it(Diagnostic mistake) {
    mistake.severity = Severity::Warning;
    mistake.hint = mistake.rule == "duplicate-key"
                       ? "remove one of them; helm uses the last one, and so does tailrender"
                       : "remove one of them; helm only uses the first one, and so does tailrender";
    return mistake;
}

Diagnostic second_document(Pos first, Pos second) {
    return {.rule = "yaml-syntax",
            .pos = second,
            .message = "more than one document where one is expected",
            .found = "a second document",
            .expected = "one document",
            .hint = "keep one, or move the others to separate files",
            .notes = {{.pos = first, .text = "the first one is here"}}};
}

std::optional<std::size_t> find_open_directive(std::string_view text) {
    std::optional<std::size_t> directive;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t begin = text.size() - rest.size();
        const std::string_view line = take(rest, '\n');
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (line.starts_with('%')) {
            directive = directive.value_or(begin);
        } else if (first != std::string_view::npos && line[first] != '#') {
            return line.starts_with("---") ? std::nullopt : directive;
        }
    }
    return std::nullopt;
}

Diagnostic open_directive(Pos place) {
    return {.rule = "yaml-syntax",
            .pos = place,
            .message = "a line that begins with \"%\" is a directive, but no document follows it",
            .expected = "\"---\" after the directives",
            .hint = "remove the line, or add \"---\" below it"};
}

Diagnostic too_large(Pos place, std::size_t bytes) {
    return {.rule = "yaml-size",
            .pos = place,
            .message = "document is too large",
            .found = fmt::format("{} bytes", bytes),
            .expected = fmt::format("at most {} bytes", kMaxDocumentBytes),
            .hint = "no API server accepts an object of that size: split it"};
}

}  // namespace renderer::inline core
