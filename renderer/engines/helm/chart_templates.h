// Renders charts with the user's helm, if both are available.
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
#include "renderer/repo/walk.h"

namespace renderer::engines {

// True if one of the values, written as YAML, matters.
bool any_matters(const std::vector<Value>& values, const repo::TextTest& matters);

class ChartTemplates {
public:
    // `tree` must outlive this object. Uses the options path, helm, fetcher, kubernetes_version and
    // the directories of charts.
    ChartTemplates(const repo::SourceTree& tree, const repo::LoadOptions& options);

    // Returns the output of helm. Returns nothing if helm must not be run, the chart is not
    // available, or no file of the chart and no value `matters`. An archive is rendered in
    // any case, and so is a chart that `is_required`. If something matters, or it is required, it
    // fails when helm is missing or fails, or a requested fetch fails.
    Result<std::optional<std::string>> render(const ChartRelease& release,
                                              const std::vector<Value>& values,
                                              const repo::TextTest& matters,
                                              bool is_required = false);

    // True if the last call of render() did not find the chart or must not run helm.
    [[nodiscard]] bool is_left() const { return is_left_; }

    // Returns why the last chart was not rendered although it is available, in case nothing in it
    // matters; "" if it was rendered, or is complete.
    [[nodiscard]] const std::string& failure() const { return failure_; }

    // Returns what the last chart that was rendered asks its cluster before it exposes something:
    // the template and the question.
    [[nodiscard]] const std::optional<std::string>& cluster_condition() const {
        return cluster_condition_;
    }

    // Returns the version of helm, "" if it was not needed yet.
    [[nodiscard]] std::string version() const { return program_ ? program_->version : ""; }

private:
    ChartLibrary library_;
    std::string helm_;  // its path, or kNoProgram
    std::string kubernetes_version_;
    std::optional<HelmProgram> program_;
    bool is_left_ = false;
    std::string failure_;
    std::optional<std::string> cluster_condition_;
};

}  // namespace renderer::engines
