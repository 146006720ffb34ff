#include "renderer/emit/krm/function_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/load/krm/resource_list.h"
#include "renderer/secrets/confidential.h"

namespace renderer::emit {
namespace {

// Returns the item that contains the position; nullptr if none does.
const Value* item_at(const load::Loaded& loaded, Pos pos) {
    if (!loaded.resource_list || !pos.known() ||
        loaded.sources.source_of(pos) != loaded.resource_list->source) {
        return nullptr;
    }
    const load::ResourceList& list = *loaded.resource_list;
    const std::size_t offset = loaded.sources.offset_of(pos);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        if (list.items[i].range.begin <= offset && offset < list.items[i].range.end) {
            return &list.root.find("items")->items()[i];
        }
    }
    return nullptr;
}

bool is_plain_key(std::string_view key) {
    return key.find_first_of("./[]'\" ") == std::string_view::npos;
}

// Appends the path to the deepest value that has this position, or whose key has it. Returns that
// value, or nullptr if the item has no such value.
const Value* find_field(const Value& value, Pos pos, std::string& path) {
    const std::size_t length = path.size();
    for (const Member& member : members_of(&value)) {
        path += is_plain_key(member.name())
                    ? fmt::format("{}{}", path.empty() ? "" : ".", member.name())
                    : fmt::format("['{}']", member.name());
        if (const Value* found = find_field(member.value, pos, path)) {
            return found;
        }
        if (member.key.pos() == pos) {
            return &member.value;
        }
        path.resize(length);
    }
    for (std::size_t i = 0; const Value& item : items_of(&value)) {
        path += fmt::format("[{}]", i++);
        if (const Value* found = find_field(item, pos, path)) {
            return found;
        }
        path.resize(length);
    }
    return value.pos() == pos && !path.empty() ? &value : nullptr;
}

std::string message_of(const Diagnostic& diagnostic) {
    std::string message = diagnostic.message;
    const auto add = [&](std::string_view what, const std::string& text) {
        if (!text.empty()) {
            message += fmt::format("; {}: {}", what, text);
        }
    };
    add("found", diagnostic.found);
    add("expected", diagnostic.expected);
    add("hint", diagnostic.hint);
    return message;
}

Value reference_of(const Value& item) {
    Value reference = Value::map({{"apiVersion", text_of(item.find("apiVersion"))},
                                  {"kind", text_of(item.find("kind"))},
                                  {"name", text_of(item.at({"metadata", "name"}))}});
    const std::string_view ns = text_of(item.at({"metadata", "namespace"}));
    put_if(reference, !ns.empty(), "namespace", ns);
    return reference;
}

// Returns the functionConfig if it contains the position.
const Value* config_at(const load::Loaded& loaded, Pos pos) {
    const Value* config =
        loaded.resource_list ? loaded.resource_list->root.find("functionConfig") : nullptr;
    std::string path;
    return config != nullptr && pos.known() && find_field(*config, pos, path) != nullptr ? config
                                                                                         : nullptr;
}

void put_field(const Value& item, const Diagnostic& diagnostic, Value& result) {
    std::string path;
    const Value* value = find_field(item, diagnostic.pos, path);
    if (value == nullptr) {
        return;
    }
    Value field = Value::map({{"path", path}});
    if (!diagnostic.hide_text && (value->is_string() || value->is_number() || value->is_bool())) {
        field.add("currentValue", value->clone());
    }
    result.add("field", std::move(field));
}

void put_item_file(const Value& item, Value& result) {
    const std::string_view path = load::item_path(item);
    if (path.empty()) {
        return;
    }
    Value file = Value::map({{"path", path}});
    const std::string_view index = load::item_index(item);
    const bool whole = !index.empty() && index.find_first_not_of("0123456789") == index.npos;
    put_if(file, whole, "index", Value::number(whole ? index : "0"));
    result.add("file", std::move(file));
}

Value result_of(const load::Loaded& loaded, const Diagnostic& diagnostic) {
    const bool is_error = diagnostic.severity == Severity::Error;
    Value result = Value::map({{"message", message_of(diagnostic)},
                               {"severity", Value::borrowed(is_error ? "error" : "warning")}});
    Value tags = Value::map({{"rule", diagnostic.rule}});
    put_if(tags, !diagnostic.object.empty(), "object", diagnostic.object);
    if (const Value* item = item_at(loaded, diagnostic.pos)) {
        result.add("resourceRef", reference_of(*item));
        put_field(*item, diagnostic, result);
        put_item_file(*item, result);
    } else if (const Value* config = config_at(loaded, diagnostic.pos)) {
        result.add("resourceRef", reference_of(*config));
        put_field(*config, diagnostic, result);
    } else if (diagnostic.pos.known() && loaded.sources.locate(diagnostic.pos).line > 0) {
        const Location place = loaded.sources.locate(diagnostic.pos);
        result.add("file", Value::map({{"path", place.path}}));
        tags.add("line", fmt::to_string(place.line));
        tags.add("column", fmt::to_string(place.column));
    } else if (!diagnostic.where.empty()) {
        tags.add("where", diagnostic.where);
    }
    result.add("tags", std::move(tags));
    return result;
}

}  // namespace

Value function_results(const load::Loaded& loaded, const Diagnostics& diagnostics) {
    Value results = Value::list();
    const Value* before =
        loaded.resource_list ? loaded.resource_list->root.find("results") : nullptr;
    if (before != nullptr && before->is_map()) {  // the form of older frameworks
        before = before->find("items");
    }
    for (const Value& result : items_of(before)) {
        results.append(result.clone());
    }
    secrets::CredentialFilter filter(loaded.sources);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        Value result = result_of(loaded, filter.shown(diagnostic));
        if (std::ranges::find(results.items(), result) == results.items().end()) {
            results.append(std::move(result));
        }
    }
    return results;
}

}  // namespace renderer::emit
