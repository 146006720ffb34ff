// Writes the diagnostics of a run for programs, by `--diagnostics FORMAT`; docs/formats.md
// describes the formats. They list every diagnostic, while the text counts similar ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/core/shown_diagnostic.h"
#include "renderer/core/value.h"

namespace renderer::cli {

enum class DiagnosticFormat : std::uint8_t { Text, Json, Sarif, Github, Gitlab, Junit };

// The value of one `--diagnostics` flag.
struct DiagnosticTarget {
    DiagnosticFormat format = DiagnosticFormat::Text;
    std::string file = {};  // "" for standard error
};

struct DiagnosticRun {
    std::string_view verb;  // "" where the command line has none
    int exit_code = 0;
    std::span<const ShownDiagnostic> diagnostics;
};

// Makes the list of objects that `json_diagnostics` and reports contain.
Value diagnostic_list(std::span<const ShownDiagnostic> diagnostics);

// Writes one object.
std::string json_diagnostics(const DiagnosticRun& run);
// Writes SARIF 2.1.0.
std::string sarif_diagnostics(const DiagnosticRun& run);
// Writes workflow commands of GitHub, one line each. Nothing else writes such commands.
std::string github_diagnostics(const DiagnosticRun& run);
// Writes a Code Quality report of GitLab.
std::string gitlab_diagnostics(const DiagnosticRun& run);
// Writes JUnit XML.
std::string junit_diagnostics(const DiagnosticRun& run);

// Parses "sarif" or "sarif=FILE"; returns none for any other text.
std::optional<DiagnosticTarget> parse_target(std::string_view text);
// Returns "text|json|…".
std::string format_words();

// Writes any of these formats; returns "" for text, which console.h prints.
std::string formatted_diagnostics(DiagnosticFormat format, const DiagnosticRun& run);

}  // namespace renderer::cli
