// The verbs that people run: what they are called, which flags they take, and how each is begun.
#pragma once

#include <string_view>

#include "runtime/controller/settings.h"

namespace runtime {

bool is_verb(std::string_view word);

// The process from its arguments to its exit code: 0 done, 1 not (the reason is on stderr), 2
// usage.
int run_verb(int argc, char** argv, const Environment& environment);

}  // namespace runtime
