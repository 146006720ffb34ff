// A program of the user's own that builds a part of a tree, kustomize or helm: where it is, and
// what is told of its messages. base/sandbox.h says what it may do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/sandbox.h"
#include "renderer/core/result.h"

namespace renderer {

constexpr std::string_view kNoProgram = "none";

struct ProgramFlag {
    std::string_view flag;                // "--kustomize"
    std::vector<std::string_view> names;  // that are looked for when the user names none
    std::string_view expected;            // "kustomize or kubectl"
};

// Where the program is, or "none". `choice`: a path; "" = the first of the names that is in the
// search path, which is what the variable PATH is; "none"; or a name that is looked up there.
// Relative directories of the search path do not count. A choice that cannot be executed is an
// error.
Result<std::string> find_program(const ProgramFlag& flag, const std::string& choice,
                                 std::string_view search_path);

// "Secret", "SecretList", and not "ExternalSecret". Looks for words, since a file that cannot be
// read is what such a program shows.
bool names_secrets(std::string_view text);

// Why it failed, with paths of the copy as those of `root`. What Go adds when it gives up is for
// developers of the program. `is_secret`: it may show values of a Secret, and is not told.
std::string failure_of(const SandboxRun& run, const std::string& copy, const std::string& root,
                       bool is_secret);

}  // namespace renderer
