// Which keys a configuration may have and of what type they are. For what is ours to understand
// whole (fleet.yaml, kustomization.yaml, .tailrender.yaml, the settings): an unknown key is an
// error with the nearest known one, never ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/text_of.h"
#include "renderer/core/value.h"

namespace renderer {

enum class FieldType : std::uint8_t {
    Any,
    Text,
    Flag,
    TextOrFlag,
    Number,
    Map,  // of anything
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
    std::string_view names;  // of all fields of this type, separated by spaces
    FieldType type = FieldType::Any;
    Schema section = {};
    // More that has to be true of a value of the right type; may be nullptr.
    void (*check)(std::string_view path, const Value& value, Diagnostics& diagnostics) = nullptr;
    bool is_secret = false;  // no text of it in messages
};

// nullptr: the schema has no field of that name.
const SchemaField* find_field(Schema schema, std::string_view name);

// `what` names the thing in messages: "fleet.yaml", "a cluster"; `path` what its fields are in:
// "tailrender.image".
void check_schema(const Value& value, Schema schema, std::string_view what,
                  Diagnostics& diagnostics, std::string_view path = "");

// Typed look-ups that never complain: check_schema has done that. Null counts as absent.
std::string_view text_of(const Value& map, std::string_view key);
bool flag_of(const Value& map, std::string_view key);
std::int64_t number_of(const Value& map, std::string_view key);  // 0: absent, or no whole number
const Value* map_of(const Value& map, std::string_view key);
std::span<const Value> list_of(const Value& map, std::string_view key);

// The value itself, then everything in it.
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

}  // namespace renderer
