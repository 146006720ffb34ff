#include "renderer/repo/closed_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"

namespace renderer::repo {

namespace {

struct TypeName {
    FieldType type;
    std::string_view name;
};

constexpr std::array kTypeNames = {
    TypeName{FieldType::Text, "a string"},
    TypeName{FieldType::Flag, "true or false"},
    TypeName{FieldType::TextOrFlag, "a string, true or false"},
    TypeName{FieldType::Number, "a number"},
    TypeName{FieldType::Map, "a map"},
    TypeName{FieldType::List, "a list"},
    TypeName{FieldType::TextMap, "a map of strings"},
    TypeName{FieldType::TextList, "a list of strings"},
    TypeName{FieldType::TextOrTextList, "a string or a list of strings"},
    TypeName{FieldType::Section, "a map"},
    TypeName{FieldType::SectionList, "a list of maps"},
};

std::string_view type_name(FieldType type) {
    const auto found = std::ranges::find(kTypeNames, type, &TypeName::type);
    return found == kTypeNames.end() ? "" : found->name;
}

bool has_type(const Value& value, FieldType type) {
    switch (type) {
        case FieldType::Any:
            return true;
        case FieldType::Text:
            return value.is_string();
        case FieldType::Flag:
            return value.is_bool();
        case FieldType::TextOrFlag:
            return value.is_string() || value.is_bool();
        case FieldType::Number:
            return value.is_number();
        case FieldType::Map:
        case FieldType::TextMap:
        case FieldType::Section:
            return value.is_map();
        case FieldType::TextOrTextList:
            return value.is_string() || value.is_list();
        case FieldType::List:
        case FieldType::TextList:
        case FieldType::SectionList:
            return value.is_list();
    }
    return false;
}

// The schema of a map, its name in messages and its path.
struct Place {
    Schema schema;
    std::string_view what, path;
    bool is_secret = false;
};

// Shows how the value is written. A credential is not repeated, and the spelling of a boolean is
// not known.
std::string quoted_hint(std::string_view path, const Value& value, bool is_secret) {
    const std::string_view key = path.substr(path.rfind('.') + 1);
    const bool is_shown = value.is_number() && !is_secret && !key.empty() && !key.ends_with(']');
    return is_shown ? fmt::format("write {}: \"{}\"", key, value.text()) : "put it in quotes";
}

std::string type_hint(std::string_view path, const Value& value, FieldType type, bool is_secret) {
    if (type == FieldType::Text && (value.is_number() || value.is_bool())) {
        return quoted_hint(path, value, is_secret);
    }
    if (type == FieldType::Flag && (text_of(value) == "true" || text_of(value) == "false")) {
        return "remove the quotes";
    }
    if (type == FieldType::TextList && value.is_string() && !value.text().starts_with('[') &&
        !is_secret && !path.empty()) {
        return fmt::format("write {}: [{}]", path.substr(path.rfind('.') + 1), value.text());
    }
    const bool wants_list = type == FieldType::SectionList || type == FieldType::List;
    const bool wants_map =
        type == FieldType::Section || type == FieldType::Map || type == FieldType::TextMap;
    if (wants_list) {
        return value.is_map() ? "begin each entry with \"- \""
                              : "write each entry on a line of its own, behind \"- \"";
    }
    if (type == FieldType::Text && value.is_list() && value.size() == 1 && !is_secret &&
        value.items()[0].is_string() && !path.ends_with(']')) {
        return fmt::format("write {}: \"{}\"", path.substr(path.rfind('.') + 1),
                           value.items()[0].text());
    }
    if (wants_map && value.is_list()) {
        return "remove the \"- \" before each key, and write \"key: value\"";
    }
    if (wants_map && value.is_string() && path.ends_with("values")) {
        return "write the values themselves here; --values FILE reads a file";
    }
    return wants_map ? "write its keys below it, as \"key: value\"" : "";
}

void report_type(const Value& value, std::string_view path, std::string_view message,
                 FieldType type, bool is_secret, Diagnostics& diagnostics) {
    diagnostics.error("wrong-type", value.pos(), std::string(message))
        .found(kind_name(value))
        .expected(type_name(type))
        .hint(type_hint(path, value, type, is_secret))
        .hide_text(is_secret);
}

void report_unknown_key(const Member& member, const Place& place, Diagnostics& diagnostics) {
    std::vector<std::string_view> names;
    for (const SchemaField& field : place.schema) {
        for (const std::string_view name : split(field.names, ' ')) {
            names.push_back(name);
        }
    }
    std::ranges::sort(names);
    const std::string_view near = nearest_key(member.name(), names);
    diagnostics
        .error(kUnknownKeyRule, member.key.pos(),
               fmt::format("unknown key \"{}\" in {}", member.name(), place.what))
        .expected(fmt::format("one of {{ {} }}", fmt::join(names, ", ")))
        .hint(did_you_mean(near))
        .hide_text(place.is_secret);
}

void check_map(const Value& value, const Place& place, Diagnostics& diagnostics);

// `path_of` is called only if the value is not text.
template <typename Path>
void check_text(const Value& value, const Path& path_of, bool is_secret, Diagnostics& diagnostics) {
    if (!value.is_string()) {
        const std::string path = path_of();
        report_type(value, path, fmt::format("\"{}\" has the wrong type", path), FieldType::Text,
                    is_secret, diagnostics);
    }
}

// Checks the values inside of a field.
void check_inside(const Value& value, const SchemaField& field, const Place& inner,
                  Diagnostics& diagnostics) {
    const bool holds_texts = field.type == FieldType::TextMap ||
                             field.type == FieldType::TextList ||
                             field.type == FieldType::TextOrTextList;
    if (field.type == FieldType::Section) {
        check_map(value, inner, diagnostics);
    } else if (field.type == FieldType::SectionList) {
        for (const Value& item : value.items()) {
            if (item.is_map() || item.is_null()) {
                check_map(item, inner, diagnostics);
            } else {
                report_type(item, inner.path,
                            fmt::format("an entry of {} must be a map", inner.what),
                            FieldType::Section, inner.is_secret, diagnostics);
            }
        }
    } else if (holds_texts && value.is_map()) {
        for (const Member& member : value.members()) {
            check_text(
                member.value, [&] { return fmt::format("{}.{}", inner.path, member.name()); },
                inner.is_secret, diagnostics);
        }
    } else if (holds_texts && value.is_list()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            check_text(
                value.items()[i], [&] { return fmt::format("{}[{}]", inner.path, i); },
                inner.is_secret, diagnostics);
        }
    }
}

void check_field(const Member& member, const SchemaField& field, const Place& place,
                 Diagnostics& diagnostics) {
    const Value& value = member.value;
    if (value.is_null()) {
        return;
    }
    std::string path(place.path);
    path.append(path.empty() ? "" : ".").append(member.name());
    std::string what = "\"";
    what.append(path).append("\"");
    const bool is_secret = place.is_secret || field.is_secret;
    if (!has_type(value, field.type)) {
        report_type(value, path, what + " has the wrong type", field.type, is_secret, diagnostics);
        return;
    }
    const std::size_t before = diagnostics.all().size();
    check_inside(value, field, {field.section, what, path, is_secret}, diagnostics);
    const bool has_types = diagnostics.all().size() == before;
    if (field.check != nullptr && has_types) {
        field.check(path, value, diagnostics);
    }
}

void check_map(const Value& value, const Place& place, Diagnostics& diagnostics) {
    if (value.is_null()) {
        return;
    }
    if (!value.is_map()) {
        report_type(value, place.path, fmt::format("{} must be a map", place.what), FieldType::Map,
                    place.is_secret, diagnostics);
        return;
    }
    for (const Member& member : value.members()) {
        if (const SchemaField* field = find_field(place.schema, member.name())) {
            check_field(member, *field, place, diagnostics);
        } else {
            report_unknown_key(member, place, diagnostics);
        }
    }
}

}  // namespace

const SchemaField* find_field(Schema schema, std::string_view name) {
    for (const SchemaField& field : schema) {
        for (std::string_view names = field.names; !names.empty();) {
            if (take(names, ' ') == name) {
                return &field;
            }
        }
    }
    return nullptr;
}

void check_schema(const Value& value, Schema schema, std::string_view what,
                  Diagnostics& diagnostics, std::string_view path) {
    check_map(value, {schema, what, path}, diagnostics);
}

std::string_view text_of(const Value& map, std::string_view key) {
    return text_of(map.find(key));
}

bool flag_of(const Value& map, std::string_view key) {
    const Value* value = map.find(key);
    return value != nullptr && value->is_bool() && value->as_bool();
}

std::int64_t number_of(const Value& map, std::string_view key) {
    const Value* value = map.find(key);
    return value != nullptr && value->is_number() ? value->as_int().value_or(0) : 0;
}

const Value* map_of(const Value& map, std::string_view key) {
    const Value* value = map.find(key);
    return value != nullptr && value->is_map() ? value : nullptr;
}

std::span<const Value> list_of(const Value& map, std::string_view key) {
    return items_of(map.find(key));
}

}  // namespace renderer::repo
