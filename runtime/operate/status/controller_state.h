// Finds out whether the controller runs, from its Deployment, its pods and its Lease. A pure
// function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

// A Lease that was last renewed this long ago is not held any more. The controller renews it every
// few seconds, but clocks differ.
inline constexpr Duration kLeaseIsOld = std::chrono::minutes(1);

struct ControllerState {
    // "running", "starting", "not running", "not installed" or "unknown"
    std::string_view state;
    std::string reason = {};             // "": it runs
    std::optional<Time> last_seen = {};  // when it last renewed its Lease

    [[nodiscard]] bool is_running() const { return state == "running"; }
};

ControllerState controller_state(const Listed& deployments, const Listed& pods,
                                 const Listed& leases, Time now);

}  // namespace runtime::operate
