// Whether the controller runs, as its Deployment, its pod and its Lease tell: a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/operate/kube_jobs.h"

namespace runtime {

// Its Lease is renewed every few seconds; clocks differ.
inline constexpr Duration kLeaseIsOld = std::chrono::minutes(1);

struct ControllerState {
    // "running", "starting", "not running", "not installed" or "unknown"
    std::string_view state;
    std::string reason = {};             // "": it runs
    std::optional<Time> last_seen = {};  // when it has last renewed its Lease

    [[nodiscard]] bool is_running() const { return state == "running"; }
};

ControllerState controller_state(const Listed& deployments, const Listed& pods,
                                 const Listed& leases, Time now);

}  // namespace runtime
