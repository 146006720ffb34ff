#include "renderer/load/values/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/core/text_of.h"

namespace renderer {

namespace {

struct TypeName {
    FieldType type;
    std::string_view name;
};

constexpr std::array kTypeNames = {
    TypeName{FieldType::Text, "a string"},
    TypeName{FieldType::Flag, "true or false"},
    TypeName{FieldType::Number, "a number"},
    TypeName{FieldType::Map, "a map"},
    TypeName{FieldType::TextMap, "a map of strings"},
    TypeName{FieldType::TextList, "a list of strings"},
    TypeName{FieldType::Section, "a map"},
    TypeName{FieldType::SectionList, "a list of maps"},
};

std::string_view type_name(FieldType type) {
    const auto found = std::ranges::find(kTypeNames, type, &TypeName::type);
    return found == kTypeNames.end() ? "" : found->name;
}

bool all_text(const Value& list) {
    return list.is_list() &&
           std::ranges::all_of(list.items(), [](const Value& item) { return item.is_string(); });
}

bool all_text_members(const Value& map) {
    return map.is_map() && std::ranges::all_of(map.members(), [](const Member& member) {
               return member.value.is_string();
           });
}

bool has_type(const Value& value, FieldType type) {
    switch (type) {
        case FieldType::Any:
            return true;
        case FieldType::Text:
            return value.is_string();
        case FieldType::Flag:
            return value.is_bool();
        case FieldType::Number:
            return value.is_number();
        case FieldType::Map:
        case FieldType::Section:
            return value.is_map();
        case FieldType::TextMap:
            return all_text_members(value);
        case FieldType::TextList:
            return all_text(value);
        case FieldType::SectionList:
            return value.is_list();
    }
    return false;
}

std::string found_text(const Value& value) {
    if (value.is_string() || value.is_number()) {
        return fmt::format("{} \"{}\"", kind_name(value), value.text());
    }
    return std::string(kind_name(value));
}

void report_unknown(const Member& member, Schema schema, std::string_view what,
                    Diagnostics& diagnostics) {
    std::vector<std::string_view> names;
    for (const SchemaField& field : schema) {
        names.push_back(field.name);
    }
    std::ranges::sort(names);
    const std::string_view near = nearest(member.name(), names);
    diagnostics.add(
        {.rule = "unknown-key",
         .pos = member.key.pos(),
         .message = fmt::format("unknown key \"{}\" in {}", member.name(), what),
         .expected = fmt::format("one of {{ {} }}", fmt::join(names, ", ")),
         .hint = near.empty() ? std::string() : fmt::format("did you mean \"{}\"?", near)});
}

void check_field(const Member& member, const SchemaField& field, Diagnostics& diagnostics) {
    const std::string what = fmt::format("\"{}\"", field.name);
    if (member.value.is_null()) {
        return;
    }
    if (!has_type(member.value, field.type)) {
        diagnostics.add({.rule = "wrong-type",
                         .pos = member.value.pos(),
                         .message = fmt::format("{} has the wrong type", what),
                         .found = found_text(member.value),
                         .expected = std::string(type_name(field.type))});
        return;
    }
    if (field.type == FieldType::Section) {
        check_schema(member.value, field.section, what, diagnostics);
    } else if (field.type == FieldType::SectionList) {
        for (const Value& item : member.value.items()) {
            check_schema(item, field.section, what, diagnostics);
        }
    }
}

}  // namespace

void check_schema(const Value& value, Schema schema, std::string_view what,
                  Diagnostics& diagnostics) {
    if (value.is_null()) {
        return;
    }
    if (!value.is_map()) {
        diagnostics.add({.rule = "wrong-type",
                         .pos = value.pos(),
                         .message = fmt::format("{} must be a map", what),
                         .found = found_text(value),
                         .expected = "a map"});
        return;
    }
    for (const Member& member : value.members()) {
        const auto field = std::ranges::find(schema, member.name(), &SchemaField::name);
        if (field == schema.end()) {
            report_unknown(member, schema, what, diagnostics);
        } else {
            check_field(member, *field, diagnostics);
        }
    }
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
    const Value* value = map.find(key);
    return value != nullptr && value->is_list() ? value->items() : std::span<const Value>();
}

}  // namespace renderer
