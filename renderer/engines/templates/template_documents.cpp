// Functions of YAML and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/templates/go_number.h"
#include "renderer/engines/templates/template_functions.h"
#include "renderer/engines/templates/template_print.h"
#include "renderer/engines/templates/template_yaml.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kLongestJson = 1U << 20U;
constexpr int kDeepestJson = 60;

// Writes a value as encoding/json does.
class GoJson {
public:
    explicit GoJson(bool escapes_html) : escapes_html_(escapes_html) {}

    std::optional<std::string> run(const GoValue& one) {
        value(one, 0);
        return is_known_ ? std::optional(std::move(out_)) : std::nullopt;
    }

private:
    void value(const GoValue& value, int depth) {
        if (depth > kDeepestJson || out_.size() > kLongestJson) {
            is_known_ = false;
        }
        if (!is_known_) {
            return;
        }
        switch (value.kind()) {
            case GoKind::Missing:
            case GoKind::Nil:
                out_ += "null";
                break;
            case GoKind::Bool:
                out_ += value.flag() ? "true" : "false";
                break;
            case GoKind::Int:
            case GoKind::Int64:
                out_ += fmt::format("{}", value.whole());
                break;
            case GoKind::Float:
                out_ += json_spelling_of(value.real());
                break;
            case GoKind::Text:
                text(value.text());
                break;
            case GoKind::List:
                list(value, depth);
                break;
            case GoKind::Map:
                map(value, depth);
                break;
            case GoKind::Unset:
            case GoKind::Odd:
                is_known_ = false;
                break;
        }
    }

    void list(const GoValue& list, int depth) {
        if (list.list() == nullptr) {
            out_ += "null";
            return;
        }
        is_known_ = is_known_ && !list.list()->is_unordered;
        out_ += '[';
        bool is_first = true;
        for (const GoValue& item : list.items()) {
            out_ += std::exchange(is_first, false) ? "" : ",";
            value(item, depth + 1);
        }
        out_ += ']';
    }

    void map(const GoValue& map, int depth) {
        if (map.map() == nullptr) {
            out_ += "null";
            return;
        }
        out_ += '{';
        bool is_first = true;
        for (const auto& [key, item] : map.map()->entries()) {
            out_ += std::exchange(is_first, false) ? "" : ",";
            text(key);
            out_ += ':';
            value(item, depth + 1);
        }
        out_ += '}';
    }

    void text(std::string_view text) {
        constexpr std::string_view kEscaped = "\"\\\n\r\t\b\f";
        constexpr std::string_view kLetters = "\"\\nrtbf";
        out_ += '"';
        while (!text.empty()) {
            const FrontCharacter front = front_character(text);
            const std::size_t known = kEscaped.find(text[0]);
            const bool is_html = std::string_view("<>&").find(text[0]) != std::string_view::npos;
            if (known != std::string_view::npos) {
                out_ += {'\\', kLetters[known]};
            } else if (!front.is_good) {
                // Go 1.27 writes U+FFFD itself, earlier releases its escape sequence.
                is_known_ = false;
            } else if (front.code < 0x20 || front.code == 0x2028 || front.code == 0x2029 ||
                       (is_html && escapes_html_)) {
                out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(front.code));
            } else {
                out_ += text.substr(0, front.size);
            }
            text.remove_prefix(front.size);
        }
        out_ += '"';
    }

    bool escapes_html_;
    bool is_known_ = true;
    std::string out_;
};

GoValue write_document(TemplateCall& call) {
    const GoValue& value = call.arguments[0];
    std::optional<std::string> text = call.name.ends_with("Yaml")
                                          ? go_yaml(value)
                                          : GoJson(!call.name.ends_with("RawJson")).run(value);
    if (!text) {
        return call.fail("only Go can write its argument");
    }
    if (call.name.ends_with("Yaml") && !call.is_flux) {
        text->pop_back();
    }
    return GoValue::text(std::move(*text));
}

// Converts a parsed document. Returns nothing if only Go can tell the result.
std::optional<GoValue> made_of(TemplateHeap& heap, const Value& value) {
    if (value.is_list()) {
        GoList* made = heap.list();
        for (const Value& item : value.items()) {
            std::optional<GoValue> one = made_of(heap, item);
            if (!one) {
                return std::nullopt;
            }
            made->items.push_back(std::move(*one));
        }
        return GoValue::list(made);
    }
    if (value.is_map()) {
        GoMap* made = heap.map();
        for (const Member& member : value.members()) {
            std::optional<GoValue> one = made_of(heap, member.value);
            if (!one) {
                return std::nullopt;
            }
            made->entries().insert_or_assign(std::string(member.name()), std::move(*one));
        }
        return GoValue::map(made);
    }
    const GoValue leaf = heap.given(value, GoPlace::Anywhere);
    return leaf.is(GoKind::Odd) ? std::nullopt : std::optional(leaf);
}

// True if every YAML reader gives the same result: the text has no tags, anchors, merge keys or
// further documents, and no scalars whose type depends on the reader.
bool is_simple_yaml(std::string_view text) {
    if (text.find("<<") != std::string_view::npos || text.find("---") != std::string_view::npos ||
        text.find("...") != std::string_view::npos ||
        text.find_first_of("\t\r%?") != std::string_view::npos) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_mark = std::string_view("&*!|>@`").find(text[i]) != std::string_view::npos;
        const char before = i == 0 ? ' ' : text[i - 1];
        if (is_mark && std::string_view(" \n[{,:-").find(before) != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

bool has_simple_texts(const Value& value) {
    if (value.is_string()) {
        return is_plain_text(value.text()).value_or(false) &&
               value.text().find('\n') == std::string_view::npos;
    }
    return std::ranges::all_of(items_of(&value), has_simple_texts) &&
           std::ranges::all_of(members_of(&value), [](const Member& member) {
               return has_simple_texts(member.key) && has_simple_texts(member.value);
           });
}

GoValue read_yaml_text(TemplateCall& call) {
    const bool is_list = call.name == "fromYamlArray";
    const std::string& text = call.text(0);
    if (!is_simple_yaml(text) || !call.heap.charge(text.size() * sizeof(GoValue) / 2)) {
        return call.fail("YAML that only Go can read");
    }
    SourceMap sources;
    const SourceId source = sources.add("template", text);
    Diagnostics mistakes;
    const Value value = read_yaml(sources, source, mistakes);
    if (mistakes.has_errors() || !has_simple_texts(value)) {
        return call.fail("YAML that only Go can read");
    }
    if (value.is_null()) {
        return is_list ? GoValue::list(call.heap.list()) : GoValue::map(call.heap.map());
    }
    if (is_list ? !value.is_list() : !value.is_map()) {
        return call.fail("YAML of another kind");
    }
    const std::optional<GoValue> made = made_of(call.heap, value);
    return made ? *made : call.fail("YAML that only Go can read");
}

GoValue read_json_text(TemplateCall& call) {
    if (!call.heap.charge(call.text(0).size() * sizeof(GoValue) / 2)) {
        return call.fail("its result is too long");
    }
    // Go reads -0 as another number than 0.
    if (call.text(0).find("-0") != std::string::npos) {
        return call.fail("its number is spelled in an unusual way");
    }
    const Result<Value> value = read_json(call.text(0));
    const std::optional<GoValue> made = value ? made_of(call.heap, *value) : std::nullopt;
    return made ? *made : call.fail("its argument is not JSON");
}

constexpr auto kDocuments = std::to_array<TemplateFunction>({
    {"toYaml", "a", write_document},
    {"mustToYaml", "a", write_document},
    {"toJson", "a", write_document},
    {"mustToJson", "a", write_document},
    {"toRawJson", "a", write_document},
    {"mustToRawJson", "a", write_document},
    {"fromYaml", "s", read_yaml_text},
    {"fromYamlArray", "s", read_yaml_text},
    {"fromJson", "s", read_json_text},
    {"mustFromJson", "s", read_json_text},
});

}  // namespace

std::span<const TemplateFunction> document_functions() {
    return kDocuments;
}

}  // namespace renderer::engines
