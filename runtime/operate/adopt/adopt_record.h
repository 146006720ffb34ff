// What `adopt` writes down before it changes anything, so that the next run knows what this one has
// begun, and `adopt --rollback` knows what there was: Secrets in the operator's namespace, since
// they hold the devices' state. `adopt --finish` removes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/controller/contract.h"
#include "runtime/operate/adopt/adopt_plan.h"

namespace runtime {

// On the Secrets below: `proxy` or `operator`.
inline constexpr std::string_view kRecordLabel = TAILRENDER_DOMAIN "/adopt";
// On the operator's own state Secret: the pod that has its device now.
inline constexpr std::string_view kMovedAnnotation = TAILRENDER_DOMAIN "/moved-to";

struct AdoptRecord {
    std::string name, old_name, new_name;
    Labels labels;        // of the parent
    bool is_open = true;  // something of the old proxy may be left
    renderer::Value set;  // as they were
    std::vector<renderer::Value> services, secrets;
};

renderer::Value proxy_record(const AdoptSnapshot& snapshot, const Move& move, std::string_view ns);
// What to patch once nothing of the old proxy is left, and before something of it is changed; null:
// it has been done.
renderer::Value close_record(const renderer::Value& record);
renderer::Value open_record(const renderer::Value& record);
std::optional<AdoptRecord> decode_record(const renderer::Value& secret);
std::string record_name(std::string_view old_name);

// How many replicas the operator had.
inline constexpr std::string_view kOperatorRecord = "tailrender-adopt-operator";
renderer::Value operator_record(std::string_view ns, std::int64_t replicas);
std::int64_t recorded_replicas(const renderer::Value& secret);

// What someone would apply to get the object.
renderer::Value manifest_of(const renderer::Value& object);

}  // namespace runtime
