// Runs the verbs that people run, from the command line to the exit code.
#pragma once

#include "runtime/controller/settings.h"
#include "runtime/operate/command_line.h"

namespace runtime::operate {

// Returns the exit code: 0 if it is done, 1 if not, with the reason on stderr. `status` also
// returns 1 if the controller does not run.
int run_verb(const Command& command, const controller::Environment& environment);

}  // namespace runtime::operate
