// Parses the arguments of tailrender-runtime: the role of a pod, or a verb that people run. Reads
// nothing else. Wrong arguments are refused with a hint.
#pragma once

#include <optional>
#include <string>

#include "runtime/operate/arguments.h"
#include "runtime/operate/cleanup/cleanup.h"
#include "runtime/operate/status/status_verb.h"

namespace runtime::operate {

struct VerbFlags {
    ClusterFlags cluster;
    CleanupOptions cleanup;
    StatusForm form = StatusForm::Table;
};

struct Command {
    std::string name;  // "controller", "nameserver", "cleanup" or "status"
    VerbFlags flags;   // for the last two
};

struct CommandLine {
    std::optional<Answer> answer = {};  // there is no command
    Command command = {};
};

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace runtime::operate
