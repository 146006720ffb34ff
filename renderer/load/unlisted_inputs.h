// Inputs in a plain tree that lie below a kustomization which does not list them: kustomize leaves
// them out, and so do we, with a word.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "renderer/load/select.h"

namespace renderer {

class UnlistedInputs {
public:
    // `dirs`: all of the tree.
    UnlistedInputs(const SelectContext& context, const DirList& dirs)
        : context_(context), dirs_(dirs) {}

    // Whether the file holds inputs, and no kustomization reads it in any way.
    [[nodiscard]] bool holds(const std::string& path);

    // By a kustomization: a resource, a patch, values of a chart.
    [[nodiscard]] bool is_read(const std::string& path);

    // Adds a warning of one that does to the selection.
    void report(const std::string& path) const;

private:
    [[nodiscard]] std::string kustomization_above(const std::string& path) const;

    const SelectContext& context_;
    const DirList& dirs_;
    std::optional<std::set<std::string>> read_;  // by kustomizations, once it is asked for
};

}  // namespace renderer
