#include "renderer/schema/remedies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/base/white_space.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/quantity.h"

namespace renderer::schema {

namespace {

constexpr int kDeepest = 5;
constexpr std::string_view kOneOf = "one of ";
constexpr std::size_t kListedFields = 8;
constexpr std::size_t kShownText = 60;

std::string written(std::string_view key, std::string_view value) {
    return key.empty() ? fmt::format("write {}", value) : fmt::format("write {}: {}", key, value);
}

std::string list_hint(const ValueType& type, const Value& value, std::string_view key,
                      bool is_shown) {
    if (value.is_map()) {
        return "it is a list: begin each entry with \"- \"";
    }
    const bool holds_texts = type.element != nullptr && type.element->builtin == Builtin::String;
    if (!value.is_string() || !is_shown || !holds_texts || value.text().size() > kShownText ||
        value.text().empty()) {
        return "it is a list: write each entry on a line of its own, behind \"- \"";
    }
    std::vector<std::string> items;
    for (const std::string_view item : split(value.text(), ',')) {
        items.push_back(fmt::format("\"{}\"", trim(item)));
    }
    return written(key, fmt::format("[{}]", fmt::join(items, ", ")));
}

std::string map_hint(const ValueType& type, const Value& value) {
    if (value.is_list()) {
        return "it is a map: remove the \"- \" before its keys";
    }
    const std::string fields = type.fields == nullptr ? std::string() : fields_of(*type.fields);
    return fields.empty()
               ? ""
               : fmt::format("it is a map with the keys {}", fields.substr(kOneOf.size()));
}

// A type, and its path from the root.
struct TypeAt {
    const ValueType* type;
    std::string path;
};

// Returns the type of the items or members, which have the same path.
const ValueType* innermost(const ValueType* type, std::string& path) {
    while (type != nullptr && (type->builtin == Builtin::List || type->builtin == Builtin::Map)) {
        path += type->builtin == Builtin::List ? "[]" : "[KEY]";
        type = type->element;
    }
    return type;
}

}  // namespace

std::string type_hint(const ValueType& type, const Value& value, std::string_view key,
                      bool is_shown) {
    switch (type.builtin) {
        case Builtin::String:
        case Builtin::Bytes:
        case Builtin::IntOrString:
            if (value.is_number() || value.is_bool()) {
                return is_shown && !key.empty() && value.is_number()
                           ? written(key, fmt::format("\"{}\"", value.text()))
                           : "put it in quotes";
            }
            return type.builtin == Builtin::Bytes && value.is_string()
                       ? "plain text goes into \"stringData\" of a Secret"
                       : "";
        case Builtin::Bool:
            return text_of(value) == "true" || text_of(value) == "false" ? "remove the quotes" : "";
        case Builtin::Int32:
        case Builtin::Int64:
        case Builtin::Number: {
            const std::string_view text = text_of(value);
            return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos
                       ? "remove the quotes"
                       : "";
        }
        case Builtin::List:
            return list_hint(type, value, key, is_shown);
        case Builtin::Object:
        case Builtin::Struct:
        case Builtin::Map:
            return map_hint(type, value);
        case Builtin::Any:
        case Builtin::Quantity:
        case Builtin::Time:
            break;
    }
    return "";
}

std::vector<std::string_view> names_of(const StructType& type) {
    std::vector<std::string_view> names;
    for (const TypedField& field : type.fields) {
        names.push_back(field.name);
    }
    return names;
}

std::string fields_of(const StructType& type) {
    std::vector<std::string> listed;
    for (const TypedField& field : type.fields) {
        const bool is_everywhere = field.releases.first == 0;
        listed.push_back(is_everywhere
                             ? std::string(field.name)
                             : fmt::format("{} (since 1.{})", field.name, field.releases.first));
    }
    return listed.size() > kListedFields
               ? ""
               : fmt::format("{}{{ {} }}", kOneOf, fmt::join(listed, ", "));
}

std::vector<std::string> paths_of_field(const ValueType& root, std::string_view name) {
    std::vector<TypeAt> level = {{&root, ""}};
    std::set<const StructType*> seen;
    std::vector<std::string> found;
    for (int depth = 0; depth < kDeepest && found.empty() && !level.empty(); ++depth) {
        std::vector<TypeAt> below;
        for (TypeAt& at : level) {
            const ValueType* type = innermost(at.type, at.path);
            if (type == nullptr || type->fields == nullptr || !seen.insert(type->fields).second) {
                continue;
            }
            for (const TypedField& field : type->fields->fields) {
                std::string path = at.path + (at.path.empty() ? "" : ".") + std::string(field.name);
                if (field.name == name) {
                    found.push_back(path);
                }
                below.push_back({field.type, std::move(path)});
            }
        }
        level = std::move(below);
    }
    return found.size() <= 2 ? found : std::vector<std::string>();
}

}  // namespace renderer::schema
