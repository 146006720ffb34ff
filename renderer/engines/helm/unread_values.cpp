#include "renderer/engines/helm/unread_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kNotKnownText = "value-that-is-not-known";

Pos place_in_holder(const SourceMap& sources, const Value& value, std::size_t offset) {
    const Pos whole = value.pos();
    if (!whole.known()) {
        return whole;
    }
    const std::string_view file = sources.text(sources.source_of(whole));
    const std::size_t at = sources.offset_of(whole);
    if (at >= file.size() || file[at] != '|') {
        return whole;
    }
    const std::string_view text = value.text();
    const std::size_t last = text.find_last_not_of(" \n");
    offset = last == std::string_view::npos ? 0 : std::min(offset, last);
    std::size_t begin = file.find('\n', at);
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end < offset && begin != std::string_view::npos;
         end = text.find('\n', start)) {
        start = end + 1;
        begin = file.find('\n', begin + 1);
    }
    if (begin == std::string_view::npos) {
        return whole;
    }
    const std::string_view written = file.substr(begin + 1, file.find('\n', begin + 1) - begin - 1);
    const std::string_view line = text.substr(start, text.find('\n', start) - start);
    return written.ends_with(line)
               ? sources.pos(sources.source_of(whole),
                             begin + 1 + written.size() - line.size() + (offset - start))
               : whole;
}

template <typename Place>
Value read_chart_text(std::string_view text, std::string name, SourceMap& sources,
                      const Place& place, Diagnostics& said) {
    const SourceId source = sources.add(std::move(name), std::string(text));
    Diagnostics found;
    Value values = read_yaml(sources, source, found, Repeated::AsHelm);
    if (!values.is_map() && !values.is_null()) {
        found.error("wrong-type", values.pos(), "the values of a chart must be a map")
            .found(kind_name(values))
            .expected("a map of Helm values");
        values = Value();
    }
    const auto move_place = [&](Pos& pos) {
        if (pos.known() && sources.source_of(pos) == source) {
            const Pos moved = place(sources.offset_of(pos));
            pos = moved.known() ? moved : pos;
        }
    };
    for (Diagnostic diagnostic : found.all()) {
        move_place(diagnostic.pos);
        for (Note& note : diagnostic.notes) {
            move_place(note.pos);
        }
        said.add(std::move(diagnostic));
    }
    return values;
}

// One hidden item hides the whole list, since a setting uses the whole list.
bool hides_any(const Value& value) {
    return is_hidden_value(text_of(value)) || std::ranges::any_of(items_of(&value), hides_any) ||
           std::ranges::any_of(members_of(&value),
                               [](const Member& member) { return hides_any(member.value); });
}

void take_hidden_below(Value& values, const std::string& path, std::vector<std::string>& found) {
    std::vector<std::string> hidden;
    for (Member& member : values.members()) {
        const std::string own = fmt::format("{}{}{}", path, path.empty() ? "" : ".", member.name());
        if (member.value.is_map()) {
            take_hidden_below(member.value, own, found);
        } else if (hides_any(member.value)) {
            hidden.emplace_back(member.name());
            found.push_back(own);
        }
    }
    for (const std::string& name : hidden) {
        values.erase(name);
    }
}

}  // namespace

Value read_values_text(const Value& text, std::string name, SourceMap& sources, Diagnostics& said) {
    return read_chart_text(
        text_of(text), std::move(name), sources,
        [&](std::size_t offset) { return place_in_holder(sources, text, offset); }, said);
}

Value read_values_text(std::string_view text, std::string name, Pos pos, SourceMap& sources,
                       Diagnostics& said) {
    return read_chart_text(
        text, std::move(name), sources, [&](std::size_t) { return pos; }, said);
}

void note_said(const Diagnostics& said, const std::string& object, std::size_t below,
               std::vector<UnreadValues>& unread, Diagnostics& warnings) {
    for (Diagnostic diagnostic : said.all()) {
        diagnostic.object = object;
        if (diagnostic.severity == Severity::Warning) {
            warnings.add(std::move(diagnostic));
            continue;
        }
        if (diagnostic.rule == "yaml-syntax" || diagnostic.rule == "wrong-type") {
            diagnostic.hint = fmt::format(
                "helm refuses these values of the operator's chart: correct them, or give them {}",
                kWaysToGiveValues);
        }
        unread.push_back(
            {.kind = Unread::Refused, .below = below, .diagnostic = std::move(diagnostic)});
    }
}

std::vector<std::string> take_hidden(Value& values) {
    std::vector<std::string> found;
    if (values.is_map()) {
        take_hidden_below(values, {}, found);
    }
    return found;
}

bool is_hidden_value(std::string_view text) {
    return is_encrypted_text(text) || text.find(kNotKnownText) != std::string_view::npos;
}

std::string with_hidden_templates(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find("{{");
        const std::size_t close = text.find("}}", open);
        out += text.substr(0, open);
        if (open == std::string_view::npos || close == std::string_view::npos) {
            break;
        }
        out += kNotKnownText;
        text.remove_prefix(close + 2);
    }
    return out;
}

}  // namespace renderer::engines
