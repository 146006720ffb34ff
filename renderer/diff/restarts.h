// Which pods a change replaces, and which of its fields do that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/diff/fields.h"

namespace renderer {

enum class RestartWay {
    Rolling,   // by the workload's controller, as its strategy says
    OnDelete,  // when someone deletes the pods
    Recreate,  // the API server refuses the change until the workload is deleted
};

struct Restart {
    std::string workload;  // "StatefulSet/tailscale/ts-web-ztn66"
    RestartWay way = RestartWay::Rolling;
    std::optional<std::int64_t> pods;  // replicas of the new side, where it says so
    std::vector<FieldChange> fields;   // of the pod template, or the ones that cannot change
    std::vector<std::string> reasons;  // in words, where a field alone says too little
};

// `after` is the new tree, `fields` how it differs from the old. No value: no pod is touched.
std::optional<Restart> restart_of(std::string_view title, const Value& after,
                                  const std::vector<FieldChange>& fields);

}  // namespace renderer
