// Messages about a command line that CLI11 has refused, in our words.
#pragma once

#include "renderer/core/diagnostics.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace renderer::cli {

Diagnostic usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace renderer::cli
