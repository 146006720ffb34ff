// What the command lines of the programs have in common, and the flags that their verbs share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/operate/access.h"

namespace CLI {
class App;
}

namespace runtime::operate {

// Which cluster, and where in it.
struct ClusterFlags {
    AccessFlags access;
    std::string ns = "tailscale";  // of the operator and the controller
};

void add_cluster_flags(CLI::App& verb, ClusterFlags& flags);

// Returns what is wrong with the URL of a server, or ""; removes a slash at its end.
std::string check_server_url(std::string& text);

// What is printed instead of running anything.
struct Answer {
    int exit_code = 0;  // 2: wrong usage
    std::string out = {}, err = {};
};

// Parses the arguments into what `app` was given. Returns an answer for --help, --version and wrong
// arguments. `usage` is the help of a program with verbs.
std::optional<Answer> parse_arguments(CLI::App& app, int argc, const char* const* argv,
                                      std::string_view usage = {});

// Prints the answer, and returns its exit code.
int print(const Answer& answer);

}  // namespace runtime::operate
