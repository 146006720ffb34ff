// Messages about a command line that CLI11 has refused, in our words.
#pragma once

#include <vector>

#include "renderer/cli/diagnostic_formats.h"
#include "renderer/core/diagnostics.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace renderer::cli {

Diagnostic usage_error(const CLI::App& app, const CLI::ParseError& error);

// Finds the targets of a command line that the parser has refused.
std::vector<DiagnosticTarget> asked_targets(int argc, const char* const* argv);

}  // namespace renderer::cli
