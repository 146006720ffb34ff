// Finds a program of the user that builds a part of a tree, kustomize or helm, and prepares its
// error messages. base/sandbox.h limits what it may do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/sandbox.h"
#include "renderer/core/result.h"

namespace renderer::repo {

constexpr std::string_view kNoProgram = "none";

struct ProgramFlag {
    std::string_view flag;                // "--kustomize"
    std::vector<std::string_view> names;  // searched for if the user names no program
    std::string_view expected;            // "kustomize or kubectl"
};

// Returns the path of the program, or "none". `choice` is a path; a name to look up in the search
// path; "" for the first of the flag's names that is found there; or "none". The search path is the
// value of PATH. Its relative directories are ignored. A choice that cannot be executed is an
// error.
Result<std::string> find_program(const ProgramFlag& flag, const std::string& choice,
                                 std::string_view search_path);

// Returns true if the text mentions "Secret", "SecretList" or "secretGenerator", but not for
// "ExternalSecret". It does not parse the text, because programs print files that they cannot
// parse.
bool names_secrets(std::string_view text);

// Returns the message in a line of kubectl's log, which begins with the time and a process id.
// Returns other text unchanged.
std::string without_log_prefix(std::string text);

// Returns why the program failed. Paths of the copy become paths of `root`. Stack traces of Go are
// removed, because they are for developers of the program. `is_secret`: the message of the program
// may contain values of a Secret and is replaced.
std::string failure_of(const SandboxRun& run, const std::string& copy, const std::string& root,
                       bool is_secret);

}  // namespace renderer::repo
