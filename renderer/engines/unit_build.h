// Builds a unit as far as it takes to know the objects of engines in it: parents change their
// children before anyone reads these. Source: fluxcd/kustomize-controller
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
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/kustomize/kustomize_program.h"
#include "renderer/repo/overlay_tree.h"

namespace renderer {

// The tree that a unit is built in: its changes are merged into its kustomization, as Flux and
// Argo CD do before they build.
class UnitTree {
public:
    // All outlive it.
    UnitTree(const SourceTree& tree, KustomizationReader& reader, SourceMap& sources,
             const BuildUnit& unit);

    [[nodiscard]] const SourceTree& tree() const { return overlay_ ? *overlay_ : tree_; }
    [[nodiscard]] KustomizationReader& reader() const {
        return own_reader_ ? *own_reader_ : reader_;
    }
    // Without the changes.
    [[nodiscard]] KustomizationReader& plain_reader() const { return reader_; }
    [[nodiscard]] const std::vector<std::string>& builds() const { return builds_; }
    [[nodiscard]] const std::vector<std::string>& manifests() const { return manifests_; }

private:
    const SourceTree& tree_;
    KustomizationReader& reader_;
    std::unique_ptr<OverlayTree> overlay_;
    std::unique_ptr<KustomizationReader> own_reader_;
    std::vector<std::string> builds_, manifests_;
};

// Every error is of something that kustomize does and tailrender does not.
bool needs_kustomize(const Diagnostics& found);

constexpr std::string_view kNoHelm = "no helm";
constexpr std::string_view kNoKustomize = "no kustomize";

struct EngineObjects {
    std::vector<EngineObject> objects;
    std::string assumed;  // why only kustomize could build it, and did not; "" = it is built
    std::string chart;    // one that may make more of them, and is not rendered; "" = none
    std::string why;      // it is not
};

class UnitBuilder {
public:
    // Of the options those of kustomize and helm are asked.
    UnitBuilder(const GitOpsTree& repository, KustomizationReader& reader, SourceMap& sources,
                const LoadOptions& options)
        : repository_(repository),
          reader_(reader),
          sources_(sources),
          kustomize_(options.kustomize),
          charts_(repository.tree(), options) {}

    // What the unit makes of the objects of engines among its files: built, namespaces and
    // variables given. Where it cannot be built, the files as they are.
    EngineObjects engine_objects(const BuildUnit& unit);

    // The same of a chart in the tree. Fails where it makes some, and they cannot be known.
    Result<std::vector<EngineObject>> chart_objects(const BuildUnit& unit);

private:
    void build(const UnitTree& view, const std::string& dir, const BuildUnit& unit,
               EngineObjects& out);
    Result<KustomizeBuild> inflate(const KustomizeJob& job, EngineObjects& out);
    void note_charts(KustomizationReader& reader, const BuildFiles& files, const std::string& why,
                     EngineObjects& out) const;

    const GitOpsTree& repository_;
    KustomizationReader& reader_;
    SourceMap& sources_;
    std::string kustomize_;  // its path, or "none"
    std::optional<KustomizeProgram> program_;
    ChartTemplates charts_;
};

}  // namespace renderer
