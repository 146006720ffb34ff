// The records that `adopt` writes before it changes anything. By them the next run knows what this
// one has begun, and `tailrender-adopt --rollback` what existed before. They are Secrets in the
// operator's namespace, because they hold the state of devices. `tailrender-adopt --finish` deletes
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/contract/domain.h"
#include "renderer/core/value.h"
#include "runtime/adopt/adopt_plan.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

// An annotation of the operator's own state Secret: the pod that has its device now.
inline constexpr std::string_view kMovedAnnotation = TAILRENDER_DOMAIN "/moved-to";

struct AdoptRecord {
    std::string name, old_name, new_name;
    operate::Labels labels;  // of the parent
    bool is_open = true;     // something of the old proxy may be left
    renderer::Value set;     // the objects before the move
    std::vector<renderer::Value> services, secrets;
};

renderer::Value proxy_record(const AdoptSnapshot& snapshot, const Move& move, std::string_view ns);
// Return the patches that close the record once nothing of the old proxy is left, and open it
// before something of it is changed; null if that was done.
renderer::Value close_record(const renderer::Value& record);
renderer::Value open_record(const renderer::Value& record);
std::optional<AdoptRecord> decode_record(const renderer::Value& secret);
std::string record_name(std::string_view old_name);

// The record of how many replicas the operator had.
inline constexpr std::string_view kOperatorRecord = "tailrender-adopt-operator";
renderer::Value operator_record(std::string_view ns, std::int64_t replicas);
std::int64_t recorded_replicas(const renderer::Value& secret);

// Returns the manifest that someone would apply to create the object.
renderer::Value manifest_of(const renderer::Value& object);

}  // namespace runtime::adopt
