// Parses the arguments of tailrender-runtime: the role of a pod, or a verb that people run. Reads
// nothing else. Wrong arguments are refused with a hint.
#pragma once

#include <optional>
#include <string>

#include "runtime/operate/access.h"
#include "runtime/operate/adopt/adopt.h"
#include "runtime/operate/cleanup/cleanup.h"
#include "runtime/operate/status/status_verb.h"

namespace runtime::operate {

struct VerbFlags {
    AccessFlags access;
    std::string ns = "tailscale";
    int patience = 300;  // seconds
    AdoptOptions adopt;
    bool roll_back = false;
    bool finish = false;
    CleanupOptions cleanup;
    StatusForm form = StatusForm::Table;
};

struct Command {
    std::string name;  // "controller", "nameserver", "adopt", "cleanup" or "status"
    VerbFlags flags;   // for the last three
};

struct CommandLine {
    std::optional<Command> command = {};  // no value: print `out` and `err`, and exit
    int exit_code = 0;                    // 2: wrong usage
    std::string out = {}, err = {};
};

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace runtime::operate
