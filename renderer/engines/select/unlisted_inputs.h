// Inputs in a plain tree that are below a kustomization which does not list them. Like kustomize,
// tailrender does not render them, but it warns.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

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
    // The same for a file in the directory of a chart that is not a file of the chart.
    void report_beside_chart(const std::string& path) const;

private:
    // Returns the warning with its place, and what the file exposes.
    [[nodiscard]] std::optional<Finding> report(const std::string& path,
                                                std::string_view message) const;
    [[nodiscard]] std::string kustomization_above(const std::string& path) const;

    const SelectContext& context_;
    const DirList& dirs_;
    // Files that kustomizations read; filled on first use.
    std::optional<std::set<std::string>> read_;
};

}  // namespace renderer::engines
