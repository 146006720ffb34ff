// Parses the flags into Options. The table of verbs and flags for completion scripts is read from
// the parser, so it cannot become outdated. Nothing here reads files or the environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/diagnostic_formats.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer::cli {

enum class Color { Auto, Always, Never };
enum class ReportFormat { Text, Markdown, Json, Html };
enum class Gate { Public, Removed, Replaced, Warning };
inline constexpr std::string_view kGainsGate = "gains:";  // a word of --fail-on, with a selector
enum class Ci { None, GitHub, GitLab };
enum class GraphFormat { Mermaid, Svg, Dot, Json };

struct PolicyOptions {
    std::string checked, merged;  // policy files; "" if the flag is not given
    std::string tailnet;          // "" is the controller's own
};

struct AccessOptions {
    std::string policy;             // file
    std::vector<std::string> from;  // selectors
    std::string to;                 // "shop" or "shop:443"; "": every device
    bool why = false;
};

// Policy files of diff and graph; "" if the flag is not given.
struct DiffPolicies {
    std::string file;        // below each side
    std::string base, head;  // on the disk
};

struct GraphOptions {
    GraphFormat format = GraphFormat::Mermaid;
    std::string head;  // the new side of a change; "": only one side is drawn
};

struct Options {
    std::string verb;
    repo::LoadOptions load;
    PolicyOptions policy;
    AccessOptions access;
    GraphOptions graph;
    std::string object;              // explain
    std::string shell;               // completion: also what names are offered of
    std::vector<std::string> words;  // completion
    std::string action;              // cmp
    std::string tool;                // gitops-snippets
    std::string schema;              // schema
    std::optional<Ci> ci;            // init
    bool write = false;              // init
    std::string release;             // post-render
    bool annotate = false;           // post-render: --on-error
    std::string log_file;
    std::vector<DiagnosticTarget> diagnostics;  // none: text on standard error
    std::string base, head;                     // diff
    std::string hash_key_file;                  // diff
    DiffPolicies diff_policies;
    std::string link_sources;            // diff: what addresses of sources begin with
    std::vector<std::string> head_sets;  // diff: after those of `load`, for HEAD only
    ReportFormat format = ReportFormat::Text;
    bool exit_code = false;  // diff
    std::vector<Gate> fail_on;
    std::vector<std::string> fail_on_gains;  // diff: selectors
    Color color = Color::Auto;
    bool quiet = false;
    bool all = false;  // no limits in reports and diagnostics
    bool allow_empty = false;
    std::vector<std::string> allowed_removals;  // --allow-removal
    bool prune = false;                         // remove the trees of deleted clusters
    bool list_checks = false;                   // lint
    bool update_lock = false;                   // render
    std::string network;   // --allow-network: hosts, "true" for all, "" for none
    std::string revision;  // --rev: the revision of load.tree
    std::string branch;    // commit
};

// The result of parsing. No options: only `out` or `refusal` is printed (--help, --version,
// mistakes).
struct CommandLine {
    std::optional<Options> options;
    int exit_code = 0;
    std::string out;
    std::optional<Diagnostic> refusal;      // a mistake in the command line
    std::vector<DiagnosticTarget> targets;  // where the refusal is printed
};

// `width`: of the terminal that gets the help; 0 if it goes elsewhere.
CommandLine parse_command_line(int argc, const char* const* argv, std::size_t width = 0);

struct FlagInfo {
    std::vector<std::string> names;  // "-o", "--output"
    std::string value;               // "" for a switch, else "FILE", "DIR", "a|b|c", …
    std::string doc;
};

struct VerbInfo {
    std::string name, doc;
    std::vector<FlagInfo> flags;
    std::string arguments;  // the positional argument: "DIR", "OBJECT", "REV", "github|none", ""
};

std::vector<VerbInfo> command_table();

}  // namespace renderer::cli
