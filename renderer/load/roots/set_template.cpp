#include "renderer/load/roots/set_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/load/roots/go_template.h"
#include "renderer/load/roots/template_functions.h"

namespace renderer {

namespace {

std::string replaced(std::string_view text, const Value& parameters) {
    std::string out;
    while (true) {
        const std::size_t open = text.find("{{");
        const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
        if (close == std::string_view::npos) {
            return out.append(text);
        }
        std::string_view key = text.substr(open + 2, close - open - 2);
        key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
        key = key.substr(0, key.find_last_not_of(' ') + 1);
        const Value* value = parameters.find(key);
        out.append(text.substr(0, open));
        out.append(value == nullptr ? text.substr(open, close + 2 - open) : spelling_of(*value));
        text.remove_prefix(close + 2);
    }
}

// As Go prints it.
std::string leaf(const Value& value) {
    if (value.is_null()) {
        return "<nil>";
    }
    return value.is_map() ? "map[]" : value.is_list() ? "[]" : std::string(spelling_of(value));
}

void flatten(const Value& value, const std::string& key, std::map<std::string, Value>& out) {
    const std::string prefix = key.empty() ? key : key + ".";
    if (value.is_map() && value.size() > 0) {
        for (const Member& member : value.members()) {
            flatten(member.value, fmt::format("{}{}", prefix, member.name()), out);
        }
    } else if (value.is_list() && value.size() > 0) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            flatten(value.items()[i], fmt::format("{}{}", prefix, i), out);
        }
    } else {
        out.insert_or_assign(key, leaf(value));
    }
}

}  // namespace

SetTemplate::SetTemplate(const Value& set)
    : is_go_(spelling_of(set.at({"spec", "goTemplate"})) == "true") {
    for (const Value& option : items_of(set.at({"spec", "goTemplateOptions"}))) {
        is_strict_ = is_strict_ || text_of(option) == "missingkey=error";
    }
}

std::optional<std::string> SetTemplate::fill(std::string_view text, const Value& parameters,
                                             bool strict, std::string& failure) const {
    if (text.find("{{") == std::string_view::npos) {
        return std::string(text);
    }
    if (!is_go_) {
        return replaced(text, parameters);
    }
    std::string why;
    auto filled = render_go_template(text, parameters, strict, why);
    if (!filled) {
        failure = fmt::format("{}: {}", text, why);
    }
    return filled;
}

std::optional<Value> SetTemplate::filled(const Value& shape, const Value& parameters,
                                         std::string& failure) const {
    if (parameters.size() == 0) {
        return shape.clone();
    }
    if (shape.is_string()) {
        std::optional<std::string> text = fill(shape.text(), parameters, failure);
        return text ? std::optional(Value(*text)) : std::nullopt;
    }
    if (shape.is_map()) {
        Value out = Value::map();
        for (const Member& member : shape.members()) {
            const auto key = fill(member.name(), parameters, failure);
            auto value = key ? filled(member.value, parameters, failure) : std::nullopt;
            if (!value) {
                return std::nullopt;
            }
            out.put(*key, std::move(*value));
        }
        return out;
    }
    if (shape.is_list()) {
        Value out = Value::list();
        for (const Value& item : shape.items()) {
            auto value = filled(item, parameters, failure);
            if (!value) {
                return std::nullopt;
            }
            out.append(std::move(*value));
        }
        return out;
    }
    return shape.clone();
}

Value flattened(const Value& parameters) {
    Value out = Value::map();
    if (parameters.size() > 0) {
        std::map<std::string, Value> leaves;
        flatten(parameters, "", leaves);
        for (auto& [key, value] : leaves) {
            out.add(key, std::move(value));
        }
    }
    return out;
}

void overlay(Value& base, const Value& over) {
    for (const Member& member : members_of(&over)) {
        Value* known = base.find(member.name());
        const bool is_empty_list = member.value.is_list() && member.value.size() == 0;
        if (known != nullptr && known->is_map() && member.value.is_map()) {
            overlay(*known, member.value);
        } else if (known == nullptr || !known->is_list() || !is_empty_list) {
            base.put(member.key.clone(), member.value.clone());
        }
    }
}

void complete(Value& shape, const Value& other) {
    for (const Member& member : members_of(&other)) {
        Value* known = shape.find(member.name());
        if (known == nullptr || !is_true(*known)) {
            shape.put(member.key.clone(), member.value.clone());
        } else if (known->is_map() && member.value.is_map() && member.name() != "valuesObject") {
            complete(*known, member.value);
        }
    }
}

}  // namespace renderer
