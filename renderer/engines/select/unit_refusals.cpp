#include "renderer/engines/select/unit_refusals.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "renderer/base/printable.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/standing.h"
#include "renderer/engines/unit_build.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

class Refusals {
public:
    Refusals(const SelectContext& context, GitOpsTree& repository,
             const std::vector<BuildUnit>& units, const UnitChoice& choice,
             const Unreached& unreached)
        : context_(context),
          repository_(repository),
          units_(units),
          choice_(choice),
          unreached_(unreached) {}

    void report_unreached() {
        for (const auto& [dir, names] : unreached_) {
            warn_unreached(dir, names);
        }
        refuse_broken();
        if (!unreached_.empty()) {
            refuse_sets();
        }
        warn_rejected();
        warn_waiting();
    }

    void refuse_elsewhere() {
        std::set<std::string_view> rendered;
        const auto cluster_of = [](const BuildUnit& unit) {
            return unit.cluster.empty() ? kOwnCluster : std::string_view(unit.cluster);
        };
        for (const BuildUnit& unit : units_) {
            if (is_wanted(unit) && input_count(repository_, unit) > 0) {
                rendered.insert(cluster_of(unit));
            }
        }
        for (const BuildUnit& unit : units_) {
            const bool is_other = !rendered.empty() && !rendered.contains(cluster_of(unit));
            if (unit.state == UnitState::External && !is_other &&
                !choice_.ignores_below(repo::normal_path(repo::parent_path(unit.file))) &&
                !refuse_exposures(unit) && !unit.source.empty()) {
                refuse_source(unit);
            }
        }
    }

private:
    [[nodiscard]] bool is_wanted(const BuildUnit& unit) const {
        return is_rendered(unit, context_.options.skip_suspended);
    }

    // True if Flux would apply one of the files, but its source ignores it.
    [[nodiscard]] bool is_ignored(const std::string& dir,
                                  const std::vector<std::string>& names) const {
        return std::ranges::any_of(units_, [&](const BuildUnit& unit) {
            return unit.artifact && repo::is_within(dir, unit.dir) &&
                   std::ranges::any_of(names, [&](const std::string& name) {
                       return unit.artifact->tree.kind(repo::join_path(dir, name)) ==
                              repo::EntryKind::Missing;
                   });
        });
    }

    void warn_unreached(const std::string& dir, const std::vector<std::string>& names) {
        const bool has_input = std::ranges::any_of(names, [&](const std::string& name) {
            return repository_.holds_input(repo::join_path(dir, name));
        });
        Finding warning =
            context_.build.diagnostics
                .warning("unreached-input", {},
                         has_input ? "nothing applies the inputs in this directory"
                                   : "nothing applies the operator's release in this directory: "
                                     "settings that its values may have are not used")
                .where(dir)
                .found(some_of(names, kNamesInMessage))
                .expected(is_archived(repository_, dir) ? "nothing, in an archive"
                          : is_ignored(dir, names)
                              ? "files in the artifact of Flux: its source leaves out what it "
                                "ignores, and symbolic links"
                              : "a Flux Kustomization or an Argo CD Application that applies it")
                .hint(fmt::format("--include {} renders it anyway", shell_word(dir)));
        for (const BuildUnit& unit : units_) {
            if (unit.state == UnitState::Refused && !unit.dir.empty() &&
                repo::is_within(dir, unit.dir)) {
                warning.note({.pos = unit.pos,
                              .text = fmt::format("{} does not: {}", unit.name, unit.reason)});
            }
        }
    }

    // Refuses broken units that name Tailscale, or that may be meant to apply inputs that no unit
    // applies. The engine fails at such a unit and removes nothing.
    void refuse_broken() {
        std::vector<std::string_view> dirs;
        dirs.reserve(unreached_.size());
        for (const auto& [dir, names] : unreached_) {
            dirs.push_back(dir);
        }
        for (const BuildUnit& unit : units_) {
            const bool is_built = unit.unbuilt.empty() || !is_wanted(unit);
            const bool is_named = unit.state == UnitState::Refused && unit.naming.known();
            if ((liveness_of(unit) != Liveness::Broken && is_built) ||
                choice_.ignores_below(unit.dir.empty()
                                          ? repo::normal_path(repo::parent_path(unit.file))
                                          : unit.dir) ||
                !(is_named || (!dirs.empty() && may_name(unit, dirs)))) {
                continue;
            }
            const bool is_missing = unit.state == UnitState::Missing;
            Finding error = context_.build.diagnostics
                                .error("broken-unit", unit.pos,
                                       fmt::format("{} applies nothing because {}", unit.name,
                                                   is_missing ? "its path does not exist"
                                                   : is_built ? "its engine rejects it"
                                                              : "it cannot be built"))
                                .found(is_built ? unit.reason : unit.unbuilt)
                                .expected(is_missing     ? "a directory of the tree"
                                          : dirs.empty() ? "an object that the engine accepts"
                                                         : "an object that the engine accepts: it "
                                                           "may be meant to apply inputs that "
                                                           "nothing applies")
                                .hint(hint_of_broken(unit, dirs));
            if (!unit.pos.known()) {
                error.where(unit.file);
            }
        }
    }

    // Returns false if nothing applies the unit's file, and its text has none of these directories.
    [[nodiscard]] bool may_name(const BuildUnit& unit,
                                const std::vector<std::string_view>& dirs) const {
        return unit.text.empty() || std::ranges::any_of(dirs, [&](std::string_view dir) {
                   return says_path_of(unit.text,
                                       repo::relative_path(std::string(dir), repository_.root()));
               });
    }

    [[nodiscard]] static std::string hint_of_broken(const BuildUnit& unit,
                                                    const std::vector<std::string_view>& dirs) {
        if (dirs.empty()) {
            return std::string(kAskServer);
        }
        std::string first;
        if (unit.state != UnitState::Missing) {
            first = "correct it; otherwise ";
        } else if (unit.dir.find("{{") != std::string::npos) {
            first = "parameters with a dot need \"goTemplate: true\" in spec; otherwise ";
        } else if (unit.dir.find("<no value>") != std::string::npos) {
            first = "correct the parameter: no generator sets it; otherwise ";
        } else if (const std::string_view near = nearest(unit.dir, dirs);
                   !near.empty() && near != unit.dir) {
            first = fmt::format("did you mean \"{}\"? otherwise ", near);
        }
        return first +
               "use --include DIR or --ignore DIR for each directory with inputs that nothing "
               "applies";
    }

    // Warns of units with inputs whose object or source the API server rejects.
    void warn_rejected() {
        std::set<Pos> told;
        for (const BuildUnit& unit : units_) {
            const bool counts =
                !unit.rejected.empty() && is_wanted(unit) && input_count(repository_, unit) > 0;
            for (const auto& [name, fault] : unit.rejected) {
                if (counts && told.insert(fault.pos).second) {
                    engines::warn_rejected(name, fault, context_.build.diagnostics);
                }
            }
        }
    }

    // Warns of units with inputs that Flux never applies, because of what they wait for.
    void warn_waiting() {
        for (const BuildUnit& unit : units_) {
            if (unit.unmet.empty() || !is_wanted(unit) || input_count(repository_, unit) == 0) {
                continue;
            }
            for (const UnmetDependency& one : unit.unmet) {
                warn_waiting(unit, one);
            }
        }
    }

    void warn_waiting(const BuildUnit& unit, const UnmetDependency& unmet) {
        context_.build.diagnostics
            .warning(unmet.is_unknown ? "unknown-dependency" : "unmet-dependency", unmet.pos,
                     unmet.is_unknown
                         ? fmt::format("Flux applies {} only after a Kustomization that nothing "
                                       "in this tree creates",
                                       unit.name)
                         : fmt::format("Flux never applies {}: {}", unit.name, unmet.reason))
            .found(unmet.found)
            .expected(unmet.is_unknown ? "the name of a Kustomization in the cluster"
                                       : "a Kustomization that Flux can apply before it")
            .hint(unmet.hint);
    }

    // Refuses sets of units that are not known: one of their units may apply inputs that no known
    // unit applies.
    void refuse_sets() {
        for (const BuildUnit& unit : units_) {
            if (unit.rest == UnitRest::Chart && unit.state == UnitState::Unresolved) {
                refuse_chart(unit);
            }
            if (unit.rest == UnitRest::None && unit.state == UnitState::Unresolved &&
                may_be_path(unit.dir)) {
                context_.build.diagnostics
                    .error("broken-unit", unit.pos,
                           fmt::format("what {} applies is not known", unit.name))
                    .found(unit.reason)
                    .expected("a path without variables that have no value")
                    .hint(
                        "give the value with --substitute NAME=VALUE, or use --include DIR or "
                        "--ignore DIR for each directory with inputs that nothing applies");
            }
            if (unit.rest == UnitRest::Set && unit.state == UnitState::Unresolved) {
                refuse_set(unit);
            }
        }
    }

    void refuse_set(const BuildUnit& unit) {
        const std::string file =
            unit.dir.empty() ? std::string()
                             : could_apply(repository_, context_.build.reader, unit, unreached_);
        if (!unit.dir.empty() && file.empty()) {
            return;
        }
        context_.build.diagnostics
            .error("unresolved-set", unit.pos,
                   fmt::format("what {} applies is not known", unit.name))
            .found(file.empty()
                       ? unit.reason
                       : fmt::format("{}, and {}, which nothing else applies", unit.reason, file))
            .expected(fmt::format("{}, or --include for each directory with inputs",
                                  unit.is_flux ? "Kustomizations" : "Applications"))
            .hint("\"tailrender roots\" lists the directories that are not applied");
    }

    void refuse_chart(const BuildUnit& unit) {
        const bool has_path = unit.pos.known();
        Finding error =
            context_.build.diagnostics
                .error("roots-in-chart", unit.pos,
                       fmt::format("the objects of Argo CD or Flux that {} creates are not known",
                                   unit.name))
                .found(unit.reason)
                .expected(has_path ? "an Application or a Kustomization in a file of the tree"
                                   : "the chart in the tree or in --charts DIR, and helm to render "
                                     "it")
                .hint(has_path
                          ? "use --include DIR for each directory with inputs that it applies, "
                            "and --ignore DIR for each other one"
                          : "install what is missing, or pass it with --helm, --kustomize or "
                            "--charts; or use --include DIR for each directory with inputs");
        if (!has_path) {
            error.where(unit.file);
        }
    }

    // True if a path with variables may be a directory of inputs that nothing applies, or one above
    // it.
    [[nodiscard]] bool may_be_path(std::string_view path) const {
        std::string pattern;
        while (!path.empty()) {
            const std::size_t begin = path.find("${");
            const std::size_t end = path.find('}', begin);
            pattern += path.substr(0, begin);
            pattern += begin == std::string_view::npos ? "" : "*";
            path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
        }
        return std::ranges::any_of(unreached_, [&](const auto& one) {
            const auto fits = [&](const std::string& dir) {
                return ::fnmatch(pattern.c_str(), dir.c_str(), 0) == 0;
            };
            std::string dir = one.first;
            while (!fits(dir) && dir != repo::parent_path(dir)) {
                dir = repo::parent_path(dir);
            }
            return fits(dir);
        });
    }

    // Refuses what the unit's own text exposes. Returns false if that is nothing.
    bool refuse_exposures(const BuildUnit& unit) {
        if (!unit.changes) {
            return false;
        }
        const std::vector<ExposingPatch> patches =
            exposing_patches(context_.build.tree, unit.dir, *unit.changes, context_.build.sources);
        for (const ExposingPatch& patch : patches) {
            Finding error = refuse_exposure(patch, context_.build.diagnostics);
            error
                .expected(fmt::format(
                    "the object that it patches, in the tree; {} applies files from elsewhere: {}",
                    unit.name, unit.reason))
                .hint(fmt::format(
                    "{}{}",
                    unit.source.empty()
                        ? "apply a copy that is in this repository"
                        : fmt::format("use --source {}=DIR with a directory that contains it",
                                      shell_word(unit.source)),
                    way_to_ignore(unit)));
            if (!patch.pos.known()) {
                error.where(unit.file);
            }
        }
        return !patches.empty();
    }

    // Ignoring the directory of the unit's file leaves out all units with a file there.
    [[nodiscard]] std::string way_to_ignore(const BuildUnit& unit) const {
        const std::string dir = repo::normal_path(repo::parent_path(unit.file));
        const bool is_alone = std::ranges::none_of(units_, [&](const BuildUnit& other) {
            return &other != &unit && repo::is_within(repo::normal_path(other.file), dir);
        });
        return is_alone ? fmt::format("; --ignore {} leaves it out", shell_word(dir))
                        : std::string();
    }

    // Refuses a source that may be built from this repository, or a unit whose settings name
    // Tailscale.
    void refuse_source(const BuildUnit& unit) {
        const std::string file =
            unit.may_be_own ? could_apply(repository_, context_.build.reader, unit, unreached_)
                            : std::string();
        if (file.empty() && !unit.naming.known()) {
            return;
        }
        Finding error =
            context_.build.diagnostics
                .error("unknown-source", file.empty() ? unit.naming : unit.pos,
                       fmt::format("what {} applies is not known: {}", unit.name, unit.reason))
                .found(file.empty()
                           ? fmt::format("{}, and \"tailscale\" in the settings of {}", unit.source,
                                         unit.name)
                           : fmt::format("{}, which may be built from this repository, and {}, "
                                         "which nothing applies",
                                         unit.source, file))
                .expected("a directory with the files of that source")
                .hint(fmt::format("--source {}=DIR names it{}", shell_word(unit.source),
                                  file.empty()
                                      ? ""
                                      : " (\".\" where this directory is its top); if it is "
                                        "something else, use --include DIR or --ignore DIR for "
                                        "each directory with inputs that nothing applies"));
        if (!(file.empty() ? unit.naming : unit.pos).known()) {
            error.where(unit.file);
        }
    }

    const SelectContext& context_;
    GitOpsTree& repository_;
    const std::vector<BuildUnit>& units_;
    const UnitChoice& choice_;
    const Unreached& unreached_;
};

}  // namespace

void report_unreached(const SelectContext& context, GitOpsTree& repository,
                      const std::vector<BuildUnit>& units, const UnitChoice& choice,
                      const Unreached& unreached) {
    Refusals(context, repository, units, choice, unreached).report_unreached();
}

void refuse_elsewhere(const SelectContext& context, GitOpsTree& repository,
                      const std::vector<BuildUnit>& units, const UnitChoice& choice,
                      const Unreached& unreached) {
    Refusals(context, repository, units, choice, unreached).refuse_elsewhere();
}

}  // namespace renderer::engines
