// Functions of strings.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/base64.h"
#include "renderer/base/replace.h"
#include "renderer/base/sha256.h"
#include "renderer/base/utf8.h"
#include "renderer/base/white_space.h"
#include "renderer/engines/templates/template_functions.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

constexpr std::int64_t kMostRepeated = 1 << 20;

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string without_characters(std::string_view in, std::string_view characters) {
    const std::size_t begin = in.find_first_not_of(characters);
    return begin == std::string_view::npos
               ? std::string()
               : std::string(in.substr(begin, in.find_last_not_of(characters) - begin + 1));
}

GoValue trim_text(TemplateCall& call) {
    const std::string& value = call.last().text();
    const std::string& what = call.text(0);
    if (call.name == "trim") {
        if (find_bad_utf8(value) != std::string::npos) {
            return call.fail("a text is not UTF-8");
        }
        return GoValue::text(std::string(trim(value)));
    }
    if (call.name == "trimPrefix") {
        return GoValue::text(value.starts_with(what) ? value.substr(what.size()) : value);
    }
    if (call.name == "trimSuffix") {
        return GoValue::text(value.ends_with(what) ? value.substr(0, value.size() - what.size())
                                                   : value);
    }
    return is_ascii(what) ? GoValue::text(what.empty() ? value : without_characters(value, what))
                          : call.fail("characters beyond ASCII");
}

GoValue test_text(TemplateCall& call) {
    const std::string& what = call.text(0);
    const std::string& value = call.text(1);
    return GoValue::flag(call.name == "contains"    ? value.find(what) != std::string::npos
                         : call.name == "hasPrefix" ? value.starts_with(what)
                                                    : value.ends_with(what));
}

char upper_case(char c) {
    return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

GoValue change_case(TemplateCall& call) {
    std::string value = call.text(0);
    if (!is_ascii(value)) {
        return call.fail("characters beyond ASCII");
    }
    char before = ' ';
    for (char& c : value) {
        const bool is_first = !is_alphanumeric(before) && before != '_';
        before = c;
        if (call.name == "lower") {
            c = lower_case(c);
        } else if (call.name == "upper" || is_first) {
            c = upper_case(c);
        }
    }
    return GoValue::text(std::move(value));
}

GoValue quote_texts(TemplateCall& call) {
    std::string out;
    bool is_first = true;
    for (const GoValue& value : call.arguments) {
        if (value.is_nothing()) {
            continue;
        }
        const std::string text = text_form(call, value);
        const std::optional<std::string> in_quotes =
            call.name == "quote" ? go_quoted(text) : fmt::format("'{}'", text);
        if (!in_quotes) {
            return call.fail("characters beyond common ones");
        }
        out += std::exchange(is_first, false) ? "" : " ";
        out += *in_quotes;
    }
    return GoValue::text(std::move(out));
}

GoValue concatenate(TemplateCall& call) {
    std::string out;
    bool is_first = true;
    for (const GoValue& value : call.arguments) {
        if (!value.is_nothing()) {
            out += std::exchange(is_first, false) ? "" : " ";
            out += text_form(call, value);
        }
    }
    return GoValue::text(std::move(out));
}

GoValue replace_in_text(TemplateCall& call) {
    const std::string& what = call.text(0);
    const std::string& by = call.text(1);
    const std::string& value = call.text(2);
    if (what.empty() && !is_ascii(value)) {
        return call.fail("characters beyond ASCII");
    }
    const std::size_t growth = by.size() > what.size() ? by.size() - what.size() : 0;
    if (growth * (value.size() + 1) > std::size_t{1} << 26U) {
        return call.fail("its result is too long");
    }
    return GoValue::text(replace_all(value, what, by));
}

GoValue truncate(TemplateCall& call) {
    const std::int64_t count = call.arguments[0].whole();
    const std::string& value = call.text(1);
    const auto size = static_cast<std::int64_t>(value.size());
    if (count < 0 && count > -size) {
        return GoValue::text(value.substr(static_cast<std::size_t>(size + count)));
    }
    return GoValue::text(
        count >= 0 && size > count ? value.substr(0, static_cast<std::size_t>(count)) : value);
}

GoValue part_of_text(TemplateCall& call) {
    const std::int64_t start = call.arguments[0].whole();
    const std::int64_t end = call.arguments[1].whole();
    const std::string& value = call.text(2);
    const auto size = static_cast<std::int64_t>(value.size());
    const std::int64_t from = std::max<std::int64_t>(start, 0);
    const bool is_to_end = start >= 0 && (end < 0 || end > size);
    const std::int64_t to = is_to_end ? size : end;
    if (from > to || to > size) {
        return call.fail(fmt::format("{} to {} is out of range", start, end));
    }
    return GoValue::text(
        value.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
}

GoValue repeat_text(TemplateCall& call) {
    const std::int64_t count = call.arguments[0].whole();
    const std::string& value = call.text(1);
    if (count < 0 || count * static_cast<std::int64_t>(value.size() + 1) > kMostRepeated ||
        count > kMostRepeated) {
        return call.fail(fmt::format("{} times", count));
    }
    std::string out;
    for (std::int64_t i = 0; i < count; ++i) {
        out += value;
    }
    return GoValue::text(std::move(out));
}

// As in sprig, each byte is treated as a character.
GoValue delete_spaces(TemplateCall& call) {
    const std::string& value = call.text(0);
    std::string out;
    bool is_changed = false;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_space =
            byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == 0x85 || byte == 0xA0;
        is_changed = is_changed || is_space;
        if (!is_space) {
            append_character(byte, out);
        }
    }
    return GoValue::text(is_changed ? out : value);
}

GoValue indent_text(TemplateCall& call) {
    const std::int64_t spaces = call.arguments[0].whole();
    const std::string& value = call.text(1);
    const auto lines = std::ranges::count(value, '\n') + 1;
    if (spaces < 0 || spaces > 1000 || lines * spaces > kMostRepeated) {
        return call.fail(fmt::format("{} spaces", spaces));
    }
    const std::string pad(static_cast<std::size_t>(spaces), ' ');
    return GoValue::text((call.name == "nindent" ? "\n" : "") + pad +
                         replace_all(value, "\n", "\n" + pad));
}

GoValue choose_plural(TemplateCall& call) {
    return call.arguments[call.arguments[2].whole() == 1 ? 0 : 1];
}

GoValue as_text(TemplateCall& call) {
    return GoValue::text(text_form(call, call.arguments[0]));
}

GoValue digest_text(TemplateCall& call) {
    if (call.name == "sha256sum") {
        return GoValue::text(sha256_hex(call.text(0)));
    }
    constexpr std::uint32_t kModulus = 65521;
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (const char c : call.text(0)) {
        low = (low + static_cast<unsigned char>(c)) % kModulus;
        high = (high + low) % kModulus;
    }
    return GoValue::text(fmt::format("{}", high << 16U | low));
}

GoValue encode_text(TemplateCall& call) {
    if (call.name == "b64enc") {
        return GoValue::text(encode_base64(call.text(0)));
    }
    std::optional<std::string> bytes = decode_base64(call.text(0));
    return bytes ? GoValue::text(std::move(*bytes)) : call.fail("not base64");
}

GoValue join_texts(TemplateCall& call) {
    std::string out;
    bool is_first = true;
    for (const std::string& text : text_forms(call, call.arguments[1])) {
        out += std::exchange(is_first, false) ? "" : call.text(0);
        out += text;
        if (out.size() > std::size_t{1} << 24U) {
            return call.fail("its result is too long");
        }
    }
    return GoValue::text(std::move(out));
}

// Splits into `most` parts, or any number if it is negative. Returns nothing if only Go can tell
// the result.
std::optional<std::vector<std::string>> parts_of(const std::string& text,
                                                 const std::string& separator, std::int64_t most) {
    std::vector<std::string> parts;
    if (most == 0 || (text.empty() && separator.empty())) {
        return parts;
    }
    if (separator.empty() && !is_ascii(text)) {
        return std::nullopt;
    }
    std::size_t from = 0;
    while (most < 0 || static_cast<std::int64_t>(parts.size()) + 1 < most) {
        const std::size_t at = separator.empty() ? from + 1 : text.find(separator, from);
        if (at == std::string::npos || at >= text.size() + (separator.empty() ? 0 : 1)) {
            break;
        }
        parts.push_back(text.substr(from, at - from));
        from = at + separator.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

GoValue split_text(TemplateCall& call) {
    const bool has_count = call.name == "splitn";
    const auto parts =
        parts_of(call.last().text(), call.text(0), has_count ? call.arguments[1].whole() : -1);
    if (!parts) {
        return call.fail("characters beyond ASCII");
    }
    if (call.name == "splitList") {
        return call.heap.texts(*parts);
    }
    GoMap* made = call.heap.map();
    for (std::size_t i = 0; i < parts->size(); ++i) {
        made->entries().emplace(fmt::format("_{}", i), GoValue::text((*parts)[i]));
    }
    return GoValue::map(made, GoElement::Text);
}

constexpr auto kTexts = std::to_array<TemplateFunction>({
    {"trim", "s", trim_text},
    {"trimall", "ss", trim_text},
    {"trimAll", "ss", trim_text},
    {"trimPrefix", "ss", trim_text},
    {"trimSuffix", "ss", trim_text},
    {"contains", "ss", test_text},
    {"hasPrefix", "ss", test_text},
    {"hasSuffix", "ss", test_text},
    {"lower", "s", change_case},
    {"upper", "s", change_case},
    {"title", "s", change_case},
    {"quote", "a*", quote_texts},
    {"squote", "a*", quote_texts},
    {"cat", "a*", concatenate},
    {"replace", "sss", replace_in_text},
    {"trunc", "is", truncate},
    {"substr", "iis", part_of_text},
    {"repeat", "is", repeat_text},
    {"nospace", "s", delete_spaces},
    {"indent", "is", indent_text},
    {"nindent", "is", indent_text},
    {"plural", "ssi", choose_plural},
    {"toString", "a", as_text},
    {"sha256sum", "s", digest_text},
    {"adler32sum", "s", digest_text},
    {"b64enc", "s", encode_text},
    {"b64dec", "s", encode_text},
    {"join", "sa", join_texts},
    {"split", "ss", split_text},
    {"splitn", "sis", split_text},
    {"splitList", "ss", split_text},
});

}  // namespace

std::span<const TemplateFunction> text_functions() {
    return kTexts;
}

}  // namespace renderer::engines
