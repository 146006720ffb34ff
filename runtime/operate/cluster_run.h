// Runs what people run against a cluster, from the flags to the exit code.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/backoff.h"
#include "runtime/base/jobs.h"
#include "runtime/base/log.h"
#include "runtime/base/transport.h"
#include "runtime/controller/settings.h"
#include "runtime/operate/arguments.h"
#include "runtime/operate/context.h"

namespace runtime::operate {

struct ClusterRun {
    OperateContext context;
    Transport& transport;
    Log& log;
    RandomSource& random;
    std::shared_ptr<void> work = {};  // what `begin` has started, until the run ends
};

// Returns the exit code: 0 if `begin` has called `done` without a problem, else 1, with the reason
// on stderr. `program` is what was called: "tailrender-runtime cleanup".
int run_in_cluster(const std::string& program, const ClusterFlags& flags,
                   const controller::Environment& environment,
                   const std::function<void(ClusterRun& run, const Next& done)>& begin);

}  // namespace runtime::operate
