#include "renderer/cli/schemas.h"

#include <utility>

#include "renderer/base/check.h"
#include "renderer/core/json.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/plan/settings/settings_fields.h"
#include "renderer/repo/json_schema.h"

namespace renderer::cli {
namespace {

// Returns the member at a path that is known to exist.
Value& member_at(Value& map, std::initializer_list<std::string_view> path) {
    Value* value = &map;
    for (const std::string_view key : path) {
        value = value->find(key);
        CHECK(value != nullptr);
    }
    return *value;
}

// What the chart does not have is only a warning.
Value values_schema() {
    Value schema = repo::json_schema(plan::chart_fields(), repo::UnknownKeys::Allowed);
    member_at(schema, {"properties", "tailrender"}) =
        repo::json_schema(plan::our_fields(), repo::UnknownKeys::Refused);
    return schema;
}

Value config_schema() {
    Value schema = repo::json_schema(engines::config_fields(), repo::UnknownKeys::Refused);
    member_at(schema, {"properties", "clusters", "items", "properties", "values"}) =
        values_schema();
    return schema;
}

}  // namespace

std::string schema_text(std::string_view name) {
    Value whole = Value::map({{"$schema", "http://json-schema.org/draft-07/schema#"}});
    Value schema = name == kConfigSchema ? config_schema() : values_schema();
    for (Member& member : schema.members()) {
        whole.add(std::move(member.key), std::move(member.value));
    }
    return write_json_pretty(whole) + "\n";
}

}  // namespace renderer::cli
