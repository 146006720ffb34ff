// Inputs in a plain tree that are below a kustomization which does not list them. Like kustomize,
// tailrender does not render them, but it warns.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "renderer/engines/select/select.h"

namespace renderer::engines {

class UnlistedInputs {
public:
    // `dirs` has all directories of the tree.
    UnlistedInputs(const SelectContext& context, const DirList& dirs)
        : context_(context), dirs_(dirs) {}

    // Returns true if the file has inputs, and no kustomization reads it in any way.
    [[nodiscard]] bool holds(const std::string& path);

    // Returns true if a kustomization reads the file as a resource, a patch or values of a chart.
    [[nodiscard]] bool is_read(const std::string& path);

    // Adds a warning for a file for which `holds` is true to the selection.
    void report(const std::string& path) const;

private:
    [[nodiscard]] std::string kustomization_above(const std::string& path) const;

    const SelectContext& context_;
    const DirList& dirs_;
    // Files that kustomizations read; filled on first use.
    std::optional<std::set<std::string>> read_;
};

}  // namespace renderer::engines
