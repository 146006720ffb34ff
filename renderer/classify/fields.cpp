#include "renderer/classify/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace renderer {

Diagnostic wrong_type(Pos pos, std::string_view path, std::string_view key, const Value& found,
                      std::string_view expected) {
    return {
        .rule = "invalid-object",
        .pos = pos,
        .message = fmt::format("\"{}{}{}\" has the wrong type", path, key.empty() ? "" : ".", key),
        .found = std::string(kind_name(found)),
        .expected = std::string(expected)};
}

Fields::Fields(const Value* map, std::string_view path, Faults& faults)
    : map_(map == nullptr || map->is_null() ? nullptr : map), path_(path), faults_(faults) {
    if (map_ != nullptr && !map_->is_map()) {
        faults_.push_back(wrong_type(map_->pos(), path_, "", *map_, "a map"));
        map_ = nullptr;
    }
}

const Value* Fields::any(std::string_view key) const {
    const Value* value = map_ == nullptr ? nullptr : map_->find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
}

const Value* Fields::map(std::string_view key) const {
    const Value* value = any(key);
    if (value != nullptr && !value->is_map()) {
        faults_.push_back(wrong_type(value->pos(), path_, key, *value, "a map"));
        return nullptr;
    }
    return value;
}

const Value* Fields::list(std::string_view key) const {
    const Value* value = any(key);
    if (value != nullptr && !value->is_list()) {
        faults_.push_back(wrong_type(value->pos(), path_, key, *value, "a list"));
        return nullptr;
    }
    return value;
}

const Value* Fields::text_value(std::string_view key) const {
    const Value* value = any(key);
    if (value != nullptr && !value->is_string()) {
        Diagnostic fault = wrong_type(value->pos(), path_, key, *value, "a string");
        fault.hint = value->is_number() || value->is_bool() ? "put it in quotes" : "";
        faults_.push_back(std::move(fault));
        return nullptr;
    }
    return value;
}

std::string_view Fields::text(std::string_view key) const {
    const Value* value = text_value(key);
    return value == nullptr ? std::string_view() : value->text();
}

std::int64_t Fields::number(std::string_view key) const {
    const Value* value = any(key);
    if (value == nullptr) {
        return 0;
    }
    const auto number = value->is_number() ? value->as_int() : std::nullopt;
    if (!number) {
        faults_.push_back(wrong_type(value->pos(), path_, key, *value, "an integer"));
    }
    return number.value_or(0);
}

bool Fields::flag(std::string_view key) const {
    const Value* value = any(key);
    if (value != nullptr && !value->is_bool()) {
        faults_.push_back(wrong_type(value->pos(), path_, key, *value, "a boolean"));
        return false;
    }
    return value != nullptr && value->as_bool();
}

std::vector<TextInput> Fields::texts(std::string_view key) const {
    std::vector<TextInput> texts;
    const Value* values = list(key);
    if (values == nullptr) {
        return texts;
    }
    for (const Value& value : values->items()) {
        if (value.is_string()) {
            texts.push_back({value.text(), value.pos()});
        } else {
            faults_.push_back(
                wrong_type(value.pos(), path_, fmt::format("{}[]", key), value, "a string"));
        }
    }
    return texts;
}

const Value* Fields::text_map(std::string_view key) const {
    const Value* values = map(key);
    if (values == nullptr) {
        return nullptr;
    }
    for (const Member& member : values->members()) {
        if (!member.value.is_string()) {
            Diagnostic fault =
                wrong_type(member.key.pos(), path_, fmt::format("{}.{}", key, member.name()),
                           member.value, "a string");
            fault.hint =
                member.value.is_number() || member.value.is_bool() ? "put it in quotes" : "";
            faults_.push_back(std::move(fault));
        }
    }
    return values;
}

Pos Fields::pos(std::string_view key) const {
    const Value* value = any(key);
    return value == nullptr ? Pos() : value->pos();
}

void Fields::unknown_choice(const Value& value, std::string_view key,
                            const std::vector<std::string_view>& names) const {
    const std::string_view near = nearest(value.text(), names);
    faults_.push_back({.rule = "invalid-object",
                       .pos = value.pos(),
                       .message = fmt::format("invalid value of \"{}.{}\"", path_, key),
                       .found = fmt::format("\"{}\"", value.text()),
                       .expected = fmt::format("one of {{ {} }}", fmt::join(names, ", ")),
                       .hint = near.empty() ? "" : fmt::format("did you mean \"{}\"?", near)});
}

}  // namespace renderer
