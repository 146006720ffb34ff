// Flags that several verbs have, each described once. The flags of one verb are in options.cpp.
#pragma once

#include "renderer/cli/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace renderer {

inline constexpr const char* kHelp = "print this help";

// A verb with --help, which ends with `examples`.
CLI::App& add_verb(CLI::App& app, const char* name, const char* doc, const char* examples);

void add_common(CLI::App& verb, Options& options);
void add_report(CLI::App& verb, Options& options);  // with add_common
void add_values(CLI::App& verb, Options& options);
void add_namespace(CLI::App& verb, Options& options, const char* doc);
void add_inputs(CLI::App& verb, Options& options);  // with add_values and add_namespace
CLI::Option* add_revision(CLI::App& verb, Options& options);
void add_path(CLI::App& verb, Options& options);  // with add_revision
CLI::Option* add_output(CLI::App& verb, Options& options, const char* doc);
void add_allow_empty(CLI::App& verb, Options& options);
void add_prune(CLI::App& verb, Options& options);
void add_validate(CLI::App& verb, Options& options);

}  // namespace renderer
