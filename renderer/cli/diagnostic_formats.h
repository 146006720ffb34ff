// The diagnostics of a run as programs take them: `--diagnostics FORMAT`, which docs/formats.md
// describes. Each is complete: nothing is left out because it is equal to another, as the text
// does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/core/shown_diagnostic.h"
#include "renderer/core/value.h"

namespace renderer {

enum class DiagnosticFormat : std::uint8_t { Text, Json, Sarif, Github, Gitlab, Junit };

// What one `--diagnostics` asks for.
struct DiagnosticTarget {
    DiagnosticFormat format = DiagnosticFormat::Text;
    std::string file = {};  // "" for standard error
};

struct DiagnosticRun {
    std::string_view verb;  // "" where the command line has none
    int exit_code = 0;
    std::span<const ShownDiagnostic> diagnostics;
};

// A list of objects, as `json_diagnostics` and reports have it.
Value diagnostic_list(std::span<const ShownDiagnostic> diagnostics);

// One object.
std::string json_diagnostics(const DiagnosticRun& run);
// SARIF 2.1.0.
std::string sarif_diagnostics(const DiagnosticRun& run);
// Workflow commands of GitHub, a line each. The only place that writes such commands.
std::string github_diagnostics(const DiagnosticRun& run);
// Code Quality of GitLab.
std::string gitlab_diagnostics(const DiagnosticRun& run);
// JUnit XML.
std::string junit_diagnostics(const DiagnosticRun& run);

// Of "sarif" or "sarif=FILE"; none for another text.
std::optional<DiagnosticTarget> parse_target(std::string_view text);
// "text|json|…"
std::string format_words();

// By any of these formats; "" for text, which console.h prints.
std::string formatted_diagnostics(DiagnosticFormat format, const DiagnosticRun& run);

}  // namespace renderer
