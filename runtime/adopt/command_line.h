// Parses the arguments of tailrender-adopt.
#pragma once

#include <optional>

#include "runtime/adopt/adopt.h"
#include "runtime/operate/arguments.h"

namespace runtime::adopt {

struct AdoptCommand {
    operate::ClusterFlags cluster = {};
    AdoptOptions options = {};
    bool roll_back = false;
    bool finish = false;
    int patience = 300;  // seconds
};

struct AdoptLine {
    std::optional<operate::Answer> answer = {};  // there is no command
    AdoptCommand command = {};
};

AdoptLine parse_adopt_line(int argc, const char* const* argv);

}  // namespace runtime::adopt
