// Charts -> manifests, by the user's helm, where chart and helm are at hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_source.h"
#include "renderer/engines/helm/helm_program.h"
#include "renderer/repo/load_options.h"

namespace renderer {

// Of a value, as YAML.
bool any_matters(const std::vector<Value>& values, bool (*matters)(std::string_view));

class ChartTemplates {
public:
    // The tree outlives it. Of the options path, helm, chart_dirs and kubernetes_version are asked.
    ChartTemplates(const SourceTree& tree, const LoadOptions& options);

    // What helm prints. None: none is to be run, the chart is not at hand, or nothing of it is of
    // interest: of no file of the chart and of no values `matters` is true. Fails where something
    // is, and helm is missing or fails, or a fetch that was asked for does.
    Result<std::optional<std::string>> render(const ChartRelease& release,
                                              const std::vector<Value>& values,
                                              bool (*matters)(std::string_view));

    // Of what was asked for last: its chart is not at hand, or nothing is run.
    [[nodiscard]] bool is_left() const { return is_left_; }

    // Of helm, "" before it was needed.
    [[nodiscard]] std::string version() const { return program_ ? program_->version : ""; }

private:
    ChartLibrary library_;
    std::string helm_;  // its path, or "none"
    std::string kubernetes_version_;
    std::optional<HelmProgram> program_;
    bool is_left_ = false;
};

}  // namespace renderer
