// Decides whether a kustomization that tailrender does not build itself may be left out: nothing of
// it can expose anything, so its user needs no kustomize.
#pragma once

#include <optional>

#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/select/select.h"

namespace renderer::engines {

struct PlainBuild;

// Returns true if a kustomization of the build has `helmCharts`.
bool has_charts(const PlainBuild& build, const BuildFiles& read);

class StayCheck {
public:
    // `dirs`: all directories of the tree. Both references must outlive this object.
    StayCheck(const SelectContext& context, const DirList& dirs) : context_(context), dirs_(dirs) {}

    // Returns true if neither the build nor a chart that a release in it installs mentions
    // Tailscale, and the output has a place for its files. If the kustomization has a mistake, no
    // file below it may mention Tailscale either, because the mistake may hide which files it
    // should name.
    [[nodiscard]] bool may_stay(const PlainBuild& build, const BuildFiles& read,
                                const Diagnostics& found) const;

private:
    // Returns true if a file has an input, or a release of a chart that may make one.
    [[nodiscard]] bool may_expose(const PlainBuild& build, const BuildFiles& read) const;
    [[nodiscard]] bool has_chart_dirs() const;
    [[nodiscard]] bool charts_mention_tailscale() const;
    [[nodiscard]] bool mentioned_below(const repo::WalkedDir& top) const;

    const SelectContext& context_;
    const DirList& dirs_;
    mutable std::optional<bool> charts_mention_;  // empty: not asked yet
};

}  // namespace renderer::engines
