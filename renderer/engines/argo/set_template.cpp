#include "renderer/engines/argo/set_template.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/base/white_space.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/templates/go_number.h"
#include "renderer/engines/templates/go_template.h"

namespace renderer::engines {

namespace {

// Argo CD looks for parameters only if a line contains both marks.
bool has_parameter(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = take(text, '\n');
        const std::size_t open = line.find("{{");
        if (open != std::string_view::npos && line.find("}}", open + 2) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

// Returns nothing if a parameter has no closing mark.
std::optional<std::string> replaced(std::string_view text, const Value& parameters) {
    std::string out;
    if (!has_parameter(text)) {
        return std::string(text);
    }
    while (true) {
        const std::size_t open = text.find("{{");
        if (open == std::string_view::npos) {
            return out.append(text);
        }
        const std::size_t close = text.find("}}", open + 2);
        if (close == std::string_view::npos) {
            return std::nullopt;
        }
        const Value* value = parameters.find(trim(text.substr(open + 2, close - open - 2)));
        out.append(text.substr(0, open));
        out.append(value == nullptr ? text.substr(open, close + 2 - open) : spelling_of(*value));
        text.remove_prefix(close + 2);
    }
}

// Formats a value as Go does.
std::string leaf(const Value& value) {
    if (value.is_null()) {
        return "<nil>";
    }
    const std::optional<double> number = value.is_number() ? json_real(value.text()) : std::nullopt;
    return value.is_map()    ? "map[]"
           : value.is_list() ? "[]"
           : number          ? shortest(*number)
                             : std::string(spelling_of(value));
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

// Finds which parameters the generators, including nested ones, give types of their own.
void find_types(const Value& generators, TemplateTypes& types) {
    for (const Value& generator : items_of(&generators)) {
        for (const Member& kind : members_of(&generator)) {
            const bool is_of_clusters = kind.name() == "clusters";
            const bool is_of_paths = kind.name() == "git";
            types.clusters = types.clusters || is_of_clusters;
            types.paths = types.paths || is_of_paths;
            if (kind.value.is_map()) {
                types.values = types.values || ((is_of_clusters || is_of_paths) &&
                                                kind.value.find("values") != nullptr);
                if (const Value* within = kind.value.find("generators")) {
                    find_types(*within, types);
                }
            }
        }
    }
}

// True for the zero value of its type in Go.
bool is_zero(const Value& value) {
    return value.is_bool()     ? !value.as_bool()
           : value.is_number() ? value.text() == "0"
                               : value.is_null() || value.size() == 0;
}

}  // namespace

SetTemplate::SetTemplate(const Value& set)
    : is_go_(spelling_of(set.at({"spec", "goTemplate"})) == "true") {
    for (const Value& option : items_of(set.at({"spec", "goTemplateOptions"}))) {
        const std::string_view text = text_of(option);
        is_strict_ = text == "missingkey=error";
        if (!is_strict_ && text != "missingkey=default" && text != "missingkey=invalid") {
            unknown_option_ = text;
        }
    }
    if (const Value* generators = set.at({"spec", "generators"})) {
        find_types(*generators, types_);
    }
}

std::optional<std::string> SetTemplate::fill(std::string_view text, const Value& parameters,
                                             bool strict, std::string& failure) const {
    if (text.find("{{") == std::string_view::npos) {
        return std::string(text);
    }
    std::string why;
    std::optional<std::string> filled;
    if (!is_go_) {
        filled = replaced(text, parameters);
        why = "a parameter that does not end";
    } else if (!unknown_option_.empty()) {
        why = fmt::format("the option {}", unknown_option_);
    } else {
        filled = render_go_template(text, parameters, strict, why, {}, types_);
    }
    if (!filled) {
        failure = fmt::format("{}: {}", text, why);
    }
    return filled;
}

std::optional<Value> SetTemplate::filled(const Value& shape, const Value& parameters,
                                         std::string& failure) const {
    if (parameters.size() == 0 || (!shape.is_string() && !shape.is_map() && !shape.is_list())) {
        return shape.clone();
    }
    const auto with_place = [&](Value value, const Value& from) {
        value.set_pos(from.pos());
        return value;
    };
    if (shape.is_string()) {
        std::optional<std::string> text = fill(shape.text(), parameters, failure);
        return text ? std::optional(with_place(Value(*text), shape)) : std::nullopt;
    }
    Value out = with_place(shape.is_map() ? Value::map() : Value::list(), shape);
    for (const Member& member : members_of(&shape)) {
        const auto key = fill(member.name(), parameters, failure);
        auto value = key ? filled(member.value, parameters, failure) : std::nullopt;
        if (!value) {
            return std::nullopt;
        }
        out.put(with_place(Value(*key), member.key), std::move(*value));
    }
    for (const Value& item : items_of(&shape)) {
        auto value = filled(item, parameters, failure);
        if (!value) {
            return std::nullopt;
        }
        out.append(std::move(*value));
    }
    return out;
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
        if (known == nullptr || is_zero(*known)) {
            shape.put(member.key.clone(), member.value.clone());
        } else if (known->is_map() && member.value.is_map() && member.name() != "valuesObject") {
            complete(*known, member.value);
        }
    }
}

}  // namespace renderer::engines
