#include "renderer/load/unset_variables.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "renderer/core/yaml_reader.h"
#include "renderer/engines/flux/substitute.h"

namespace renderer::load {

void warn_unset_variables(const std::vector<engines::InputFile>& files,
                          const std::vector<std::uint32_t>& file_of, Loaded& loaded,
                          Diagnostics& diagnostics) {
    std::set<std::string_view> told;
    for (const Document& document : loaded.documents) {
        const std::uint32_t index =
            document.source < file_of.size() ? file_of[document.source] : kNone;
        if (index == kNone || !files[index].unit->variables ||
            !files[index].unit->variables->is_whole || document.mentions_tailscale ||
            told.contains(files[index].unit->path) ||
            document_text(loaded, document).find("${") == std::string_view::npos) {
            continue;
        }
        Diagnostics discarded;
        Value root = read_yaml(loaded.sources, document.source, document.range, discarded);
        const std::vector<engines::UsedVariable> unset =
            engines::unset_variables(std::move(root), *files[index].unit->variables);
        if (unset.empty()) {
            continue;
        }
        told.insert(files[index].unit->path);
        const std::string& name = unset.front().name;
        engines::note_refused(*files[index].unit, fmt::format("\"${{{}}}\" has no value", name),
                              loaded.standings);
        diagnostics
            .warning("unset-variable", unset.front().pos,
                     fmt::format("\"${{{}}}\" has no value: Flux 2.9 and later apply nothing of "
                                 "{}, earlier ones put an empty string there",
                                 name, files[index].unit->name))
            .object(document.object_name())
            .expected(
                fmt::format("\"$${{{}}}\" if it is literal text, else a value in postBuild", name))
            .hint("tailrender lint names all of them, and each is an error there");
    }
}

void report_variable_faults(const std::vector<engines::InputFile>& files,
                            const std::vector<std::uint32_t>& file_of, const Loaded& loaded,
                            Diagnostics& diagnostics) {
    std::set<std::string_view> told;
    for (const Document& document : loaded.documents) {
        const std::uint32_t index =
            document.source < file_of.size() ? file_of[document.source] : kNone;
        if (index == kNone || !document.mentions_tailscale || !files[index].unit->variables) {
            continue;
        }
        const engines::AppliedUnit& unit = *files[index].unit;
        for (const engines::VariableFault& fault : unit.variables->faults) {
            if (!told.insert(fault.is_invalid ? unit.name : fault.name).second) {
                continue;
            }
            const std::string text =
                fault.is_invalid
                    ? fmt::format("Flux applies nothing of {}: it rejects the name of a variable",
                                  unit.name)
                    : fmt::format(
                          "Flux applies nothing of {} unless the cluster has this "
                          "ConfigMap, which is not in the tree",
                          unit.name);
            Finding finding = diagnostics.say(
                fault.is_invalid ? Severity::Error : Severity::Warning,
                fault.is_invalid ? "invalid-variable" : "missing-variables", fault.pos, text);
            finding.found(fault.name)
                .expected(fault.is_invalid ? "letters, digits and \"_\", and no digit first"
                                           : "a ConfigMap of the tree, or \"optional: true\"")
                .hint(
                    fault.is_invalid
                        ? "rename it, here and in the objects"
                        : "if the cluster has it, give the variables with --substitute NAME=VALUE");
            if (!fault.pos.known()) {
                finding.where(unit.name);
            }
        }
    }
}

void note_undecided(Loaded& loaded) {
    for (const engines::UsedVariable& one : loaded.undecided) {
        const SourceId source = loaded.sources.source_of(one.pos);
        const std::size_t offset = loaded.sources.offset_of(one.pos);
        for (const Document& document : loaded.documents) {
            if (document.source == source && document.range.begin <= offset &&
                offset < document.range.end) {
                loaded.standings.objects.emplace(
                    document.object_name(),
                    fmt::format("may still be exposed: the value of \"{}\" is not known",
                                one.name));
            }
        }
    }
}

}  // namespace renderer::load
