// Builds a unit as far as necessary to read the objects of engines in it, which patches of the unit
// may change. Source: fluxcd/kustomize-controller
// internal/controller/kustomization_controller.go (build), argo-cd reposerver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/helm/chart_templates.h"
#include "renderer/engines/helm/chart_values.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/kustomize/kustomize_program.h"
#include "renderer/repo/overlay_tree.h"

namespace renderer::engines {

// The tree that a unit is built in: its changes are merged into its kustomization, as Flux and
// Argo CD do before they build.
class UnitTree {
public:
    // All arguments outlive the tree.
    UnitTree(const repo::SourceTree& tree, KustomizationReader& reader, SourceMap& sources,
             const BuildUnit& unit);

    [[nodiscard]] const repo::SourceTree& tree() const { return overlay_ ? *overlay_ : tree_; }
    [[nodiscard]] KustomizationReader& reader() const {
        return own_reader_ ? *own_reader_ : reader_;
    }
    // The reader of the files without the changes of the unit.
    [[nodiscard]] KustomizationReader& plain_reader() const { return reader_; }
    [[nodiscard]] const std::vector<std::string>& builds() const { return builds_; }
    [[nodiscard]] const std::vector<std::string>& manifests() const { return manifests_; }

private:
    const repo::SourceTree& tree_;
    KustomizationReader& reader_;
    std::unique_ptr<repo::OverlayTree> overlay_;
    std::unique_ptr<KustomizationReader> own_reader_;
    std::vector<std::string> builds_, manifests_;
};

// True if a patch may change an object of an engine, or a source that determines what is applied.
bool may_change_unit(const Value& patch);

// True if kustomize supports everything that the errors are about.
bool needs_kustomize(const Diagnostics& found);

constexpr std::string_view kNoHelm = "no helm";
constexpr std::string_view kNoKustomize = "no kustomize";

struct EngineObjects {
    std::vector<EngineObject> objects;
    std::string assumed;      // why kustomize did not build the unit; "" = it is built
    bool may_differ = false;  // of an assumed unit: what is left out may change these objects
    std::string chart;        // a chart that may contain more objects of engines; "" = none
    std::string why;          // why that chart is not rendered
};

// Reports a unit whose objects of engines are those of its files, without its patches.
void report_assumed(const BuildUnit& unit, Severity severity, Diagnostics& diagnostics);

class UnitBuilder {
public:
    // Uses the options about threads, kustomize and helm.
    UnitBuilder(const GitOpsTree& repository, KustomizationReader& reader, SourceMap& sources,
                const repo::LoadOptions& options)
        : repository_(repository),
          reader_(reader),
          sources_(sources),
          kustomize_(options.kustomize),
          threads_(options.threads),
          steps_(options.steps),
          charts_(repository.tree(), options) {}

    // Runs the builds of kustomize that engine_objects needs of these units, in parallel.
    void run_ahead(const std::vector<BuildUnit>& units, const std::vector<std::size_t>& which);

    // Returns the objects of engines in the unit, with its patches, namespaces and variables. If
    // the unit cannot be built, its files are read instead.
    EngineObjects engine_objects(const BuildUnit& unit);

    // Returns all objects that kustomize makes of a directory of the repository, in `tree`, if a
    // kustomization may change objects of engines or their sources; none if not. Fails if kustomize
    // does.
    Result<std::vector<EngineObject>> patched_objects(const repo::SourceTree& tree,
                                                      KustomizationReader& reader,
                                                      const std::string& dir);

    // Returns those of a chart in the tree. Fails if the chart has some that cannot be rendered.
    Result<std::vector<EngineObject>> chart_objects(const BuildUnit& unit);

private:
    // A build without kustomize, of files that may hold objects of engines.
    struct Attempt {
        BuildFiles read;
        bool may_inflate = false;
        Selection made = {};
        Diagnostics found = {};
        bool is_refused = false;     // the engine does not build it
        bool needs_program = false;  // kustomize can build it, and there is one
    };
    std::optional<Attempt> attempt(const UnitTree& view, const std::string& dir,
                                   const BuildUnit& unit);
    KustomizeJob job_of(const UnitTree& view, BuildFiles files, const std::string& dir,
                        const BuildUnit& unit) const;
    const KustomizeProgram& program();
    void build(const UnitTree& view, const std::string& dir, const BuildUnit& unit,
               EngineObjects& out);
    std::vector<EngineObject> objects_of(const KustomizeJob& job, KustomizeBuild build) const;
    Result<KustomizeBuild> inflate(const KustomizeJob& job, EngineObjects& out);
    HeldText held_text(const VariableSource& wanted, std::string_view key) const;
    void note_charts(KustomizationReader& reader, const BuildFiles& files, const std::string& why,
                     EngineObjects& out) const;

    const GitOpsTree& repository_;
    KustomizationReader& reader_;
    SourceMap& sources_;
    std::string kustomize_;  // its path, or "none"
    unsigned threads_;
    std::shared_ptr<Steps> steps_;
    std::optional<KustomizeProgram> program_;
    ChartTemplates charts_;
};

}  // namespace renderer::engines
