// The verbs that people run, from what they are told to their exit code.
#pragma once

#include "runtime/controller/settings.h"
#include "runtime/operate/command_line.h"

namespace runtime {

// 0: done; 1: not, and the reason is on stderr.
int run_verb(const Command& command, const Environment& environment);

}  // namespace runtime
