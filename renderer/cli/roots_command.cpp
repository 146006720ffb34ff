#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "renderer/cli/append_format.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/json_reports.h"
#include "renderer/engines/engines.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/standing.h"

namespace renderer::cli {
namespace {

class Printer {
public:
    explicit Printer(const engines::UnitList& list) : list_(list) {}

    std::string run() {
        for (std::size_t i = 0; i < list_.units.size(); ++i) {
            if (list_.units[i].parent == SIZE_MAX) {
                root(i);
            }
        }
        if (list_.units.empty()) {
            out_ += "no Kustomization of Flux and no Application: everything is rendered\n";
        } else if (!list_.unreached.empty()) {
            out_ += list_.are_applied ? "not applied\n"
                                      : "nothing here is applied by them: everything is rendered\n";
        }
        for (const auto& [dir, names] : list_.unreached) {
            append_names_to(out_, "  {}: {}\n", dir, fmt::format("{}", fmt::join(names, ", ")));
        }
        return std::move(out_);
    }

private:
    void root(std::size_t index) {
        const engines::BuildUnit& unit = list_.units[index];
        const std::string title = !unit.cluster.empty() ? "cluster " + unit.cluster
                                  : unit.file.empty()   ? "included"
                                                        : "";
        if (title != title_ && !title.empty()) {
            append_names_to(out_, "{}\n", title);
        }
        title_ = title;
        print(index, 1);
    }

    void print(std::size_t index, std::size_t depth) {
        const engines::BuildUnit& unit = list_.units[index];
        const std::size_t inputs = list_.inputs[index];
        const std::string_view name =
            unit.name.starts_with(engines::kIncluded) ? "--include" : std::string_view(unit.name);
        out_.append(2 * depth, ' ');
        append_names_to(out_, "{}  {}", name, unit.dir);
        const std::string& ns =
            unit.target_namespace.empty() ? unit.fallback_namespace : unit.target_namespace;
        if (!ns.empty()) {
            append_names_to(out_, "  namespace {}", ns);
        }
        out_ += inputs == 0 ? "" : fmt::format("  {}", counted(inputs, "input"));
        if (unit.state != engines::UnitState::Live) {
            append_names_to(out_, "  {}: {}", engines::word_of(unit.state), unit.reason);
        } else if (!unit.reason.empty()) {
            append_names_to(out_, "  {}", unit.reason);
        }
        out_ += '\n';
        for (std::size_t i = index + 1; i < list_.units.size(); ++i) {
            if (list_.units[i].parent == index) {
                print(i, depth + 1);
            }
        }
    }

    const engines::UnitList& list_;
    std::string out_, title_;
};

}  // namespace

Result<int> run_roots(const Options& options, ClusterRuns& runs, Console& console) {
    Run& run = runs.all().emplace_back();
    const engines::UnitList list =
        engines::list_units(options.load, run.loaded.sources, run.diagnostics);
    if (run.diagnostics.has_errors()) {
        return runs.fail(console, "nothing printed");
    }
    runs.print_diagnostics(console);
    const bool is_json = options.format == ReportFormat::Json;
    if (!console.show(is_json ? roots_json(list) : Printer(list).run())) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

}  // namespace renderer::cli
