#include "runtime/controller/metrics.h"

#include <fmt/format.h>

namespace runtime {

namespace {

std::string gauge(std::string_view name, std::string_view help, std::size_t value) {
    return fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n{0} {2}\n", name, help, value);
}

}  // namespace

std::string metrics(const Controller::Counts& counts, bool leads) {
    return gauge("tailrender_leader", "1 if this instance holds the Lease.", leads ? 1 : 0) +
           gauge("tailrender_replicas", "Replicas of proxies that are asked for.",
                 counts.replicas) +
           gauge("tailrender_devices", "Replicas whose device is known.", counts.joined) +
           gauge("tailrender_steps_running", "Replicas that something is done for right now.",
                 counts.busy) +
           gauge("tailrender_replicas_leaving", "Replicas that are gone and not yet removed.",
                 counts.leaving) +
           gauge("tailrender_removal_blocked",
                 "1 if too many vanished at once, so that nothing is removed.",
                 counts.removal_is_blocked ? 1 : 0);
}

}  // namespace runtime
