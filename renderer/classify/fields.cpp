#include "renderer/classify/fields.h"

#include "renderer/core/text_of.h"
#include "renderer/kube/quantity.h"

namespace renderer::classify {

const Value* Fields::any(std::string_view key) const {
    const Value* value = map_ == nullptr ? nullptr : map_->find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
}

const Value* Fields::map(std::string_view key) const {
    const Value* value = any(key);
    return value != nullptr && value->is_map() ? value : nullptr;
}

const Value* Fields::list(std::string_view key) const {
    const Value* value = any(key);
    return value != nullptr && value->is_list() ? value : nullptr;
}

const Value* Fields::text_value(std::string_view key) const {
    const Value* value = any(key);
    return value != nullptr && value->is_string() ? value : nullptr;
}

std::string_view Fields::text(std::string_view key) const {
    return text_of(any(key));
}

std::optional<TextInput> Fields::placed(std::string_view key) const {
    const Value* value = text_value(key);
    return value == nullptr ? std::nullopt : std::optional(TextInput{value->text(), value->pos()});
}

std::optional<std::int64_t> Fields::number(std::string_view key) const {
    const Value* value = any(key);
    return value == nullptr ? std::nullopt : whole_number(*value);
}

bool Fields::flag(std::string_view key) const {
    const Value* value = any(key);
    return value != nullptr && value->is_bool() && value->as_bool();
}

std::vector<TextInput> Fields::texts(std::string_view key) const {
    std::vector<TextInput> texts;
    for (const Value& value : items_of(any(key))) {
        if (value.is_string()) {
            texts.push_back({value.text(), value.pos()});
        }
    }
    return texts;
}

std::vector<EnvInput> Fields::env(std::string_view key) const {
    std::vector<EnvInput> env;
    for (const Value& entry : items_of(any(key))) {
        const Fields fields(&entry);
        if (const auto name = fields.placed("name")) {
            env.push_back({name->text, fields.text("value"), name->pos});
        }
    }
    return env;
}

Pos Fields::pos(std::string_view key) const {
    const Value* value = any(key);
    return value == nullptr ? Pos() : value->pos();
}

}  // namespace renderer::classify
