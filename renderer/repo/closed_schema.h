// Checks the keys of a configuration and the types of their values. It is for files that tailrender
// must understand completely (fleet.yaml, kustomization.yaml, .tailrender.yaml, the settings): an
// unknown key is never ignored, but an error that suggests the nearest known key.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/text_of.h"
#include "renderer/core/value.h"

namespace renderer::repo {

enum class FieldType : std::uint8_t {
    Any,
    Text,
    Flag,
    TextOrFlag,
    Number,
    Map,  // of any values
    List,
    TextMap,   // of strings
    TextList,  // of strings
    TextOrTextList,
    Section,      // a map with the fields of `section`
    SectionList,  // a list of such maps
};

inline constexpr std::string_view kUnknownKeyRule = "unknown-key";

struct SchemaField;
using Schema = std::span<const SchemaField>;

struct SchemaField {
    std::string_view names;  // the fields of this type, separated by spaces
    FieldType type = FieldType::Any;
    Schema section = {};
    // Checks a value of the right type further; may be nullptr.
    void (*check)(std::string_view path, const Value& value, Diagnostics& diagnostics) = nullptr;
    bool is_secret = false;  // messages do not show its value
    // What `check` takes, for a JSON Schema.
    std::string_view form = {};     // in words
    std::string_view choices = {};  // the values, separated by "|"
    bool is_open = false;           // another value than these is only a warning
};

// Returns nullptr if the schema has no field of that name.
const SchemaField* find_field(Schema schema, std::string_view name);

// Reports unknown keys and values of the wrong type. `what` names the value in messages:
// "fleet.yaml", "a cluster". `path` is the path of the value, "tailrender.image"; "" for a file.
void check_schema(const Value& value, Schema schema, std::string_view what,
                  Diagnostics& diagnostics, std::string_view path = "");

// Typed look-ups. They report no errors, since check_schema has done so. Null counts as absent.
std::string_view text_of(const Value& map, std::string_view key);
bool flag_of(const Value& map, std::string_view key);
std::int64_t number_of(const Value& map, std::string_view key);  // 0: absent, or not an integer
const Value* map_of(const Value& map, std::string_view key);
std::span<const Value> list_of(const Value& map, std::string_view key);

// Visits the value itself, then every value in it.
template <typename Visit>
void for_each_value(const Value& value, const Visit& visit) {
    visit(value);
    for (const Member& member : members_of(&value)) {
        for_each_value(member.value, visit);
    }
    for (const Value& item : items_of(&value)) {
        for_each_value(item, visit);
    }
}

}  // namespace renderer::repo
