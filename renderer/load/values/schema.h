// Which keys a configuration file may have and of what type they are. For files that are ours to
// understand whole (fleet.yaml, kustomization.yaml, .tailrender.yaml): an unknown key is an error
// with the nearest known one, never ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"

namespace renderer {

enum class FieldType : std::uint8_t {
    Any,
    Text,
    Flag,
    Number,
    Map,          // of anything
    TextMap,      // of strings
    TextList,     // of strings
    Section,      // a map with the fields of `section`
    SectionList,  // a list of such maps
};

struct SchemaField;
using Schema = std::span<const SchemaField>;

struct SchemaField {
    std::string_view name;
    FieldType type = FieldType::Any;
    Schema section = {};
};

// `what` names the thing in messages: "fleet.yaml", "a cluster".
void check_schema(const Value& value, Schema schema, std::string_view what,
                  Diagnostics& diagnostics);

// Typed look-ups that never complain: check_schema has done that. Null counts as absent.
std::string_view text_of(const Value& map, std::string_view key);
bool flag_of(const Value& map, std::string_view key);
std::int64_t number_of(const Value& map, std::string_view key);  // 0: absent, or no whole number
const Value* map_of(const Value& map, std::string_view key);
std::span<const Value> list_of(const Value& map, std::string_view key);

}  // namespace renderer
