// Builds the kustomizations of a tree. One that tailrender cannot build is left as it is if it does
// not mention Tailscale; otherwise the user's kustomize builds it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/engines/helm/chart_templates.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/kustomize/kustomize_program.h"
#include "renderer/engines/kustomize/unbuilt_exposures.h"
#include "renderer/engines/select/select.h"
#include "renderer/engines/select/stay_check.h"

namespace renderer::engines {

struct PlainBuild {
    const repo::SourceTree& tree;  // the tree of the context, or a view of it with changes
    KustomizationReader& reader;
    const repo::WalkedDir& dir;
    NamespaceRule rule;
    std::shared_ptr<const AppliedUnit> unit = no_unit();
    bool loads_any = false;                 // its kustomizations may name any file of the tree
    KustomizationReader* places = nullptr;  // reads the unchanged files; null: `reader` does
    const Value* changes = nullptr;         // of the unit; null: none
    bool is_ignored = false;                // the user ignores its directory
};

class BuildSelection {
public:
    // `dirs`: all directories of the tree.
    BuildSelection(const SelectContext& context, const DirList& dirs, std::uint32_t bundle)
        : context_(context),
          out_(context.build.selection),
          dirs_(dirs),
          bundle_(bundle),
          charts_(context.build.tree, context.options),
          stay_check_(context, dirs) {}

    // Runs the user's kustomize in parallel for the builds for which `run` will need it.
    void run_ahead(const std::vector<PlainBuild>& builds);

    // Adds the build to the selection. Returns the directories of the kustomizations that it read.
    std::vector<std::string> run(const PlainBuild& build);

    // Returns true if only kustomize reads the file.
    [[nodiscard]] bool is_left_alone(const std::string& path) const {
        return left_alone_.contains(path);
    }

    // More files, which the caller adds to the selection: output of kustomize, and copied files.
    std::vector<InputFile> added;

private:
    [[nodiscard]] KustomizeJob job_of(const PlainBuild& build, BuildFiles files) const;
    std::vector<std::string> build_here(const PlainBuild& build, Selection& out,
                                        Diagnostics& found) const;
    const KustomizeProgram& program();
    static bool is_refused_by_flux(const PlainBuild& build);
    void refuse_charts(const PlainBuild& build) const;
    void note_missing(const Kustomization& file) const;
    [[nodiscard]] NamespaceRule rule_of(const PlainBuild& build) const;
    [[nodiscard]] Diagnostics without_kustomize(const PlainBuild& build,
                                                const Diagnostics& found) const;
    bool run_program(const PlainBuild& build, const BuildFiles& read);
    Result<KustomizeBuild> run_kustomize(const PlainBuild& build, const BuildFiles& read);
    [[nodiscard]] PatchesOfBuild patches_in(const PlainBuild& build, const repo::SourceTree& tree,
                                            KustomizationReader& reader) const;
    void judge_patches(const PlainBuild& build, PatchesOfBuild found);
    [[nodiscard]] std::string way_on(const LeftOut& what, const PlainBuild& build) const;
    static Pos place_of(const LeftOut& what, const PlainBuild& build, const BuildFiles& read);
    void note_broken(const PlainBuild& build, std::string why);
    void note_unbuilt(const PlainBuild& build, const LeftOut& what);
    void check_earlier(const PlainBuild& build, const BuildFiles& read, const Diagnostics& found);
    void warn_unread(const PlainBuild& build, const Kustomization& file);
    void warn_mistaken(const Diagnostics& found) const;
    void leave_alone(const PlainBuild& build, const BuildFiles& read, const Diagnostics& found);

    const SelectContext& context_;
    Selection& out_;
    const DirList& dirs_;
    std::uint32_t bundle_;
    std::set<std::string> left_alone_;
    std::set<Pos> refused_;                    // patches, and charts that helm cannot render
    std::optional<KustomizeProgram> program_;  // set on first use
    ChartTemplates charts_;
    StayCheck stay_check_;
};

}  // namespace renderer::engines
