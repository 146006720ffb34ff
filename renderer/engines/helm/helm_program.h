// Runs the user's own `helm template` on a private copy of a chart, in a sandbox: without network,
// without other programs, with limited time. Source: helm cmd/helm/template.go (what it does
// without flags: it does not contact a cluster).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_source.h"
#include "renderer/repo/private_copy.h"

namespace renderer::engines {

struct HelmProgram {
    std::string path;     // absolute
    std::string version;  // "v3.19.0"; "" if it does not print one
    std::shared_ptr<const repo::PrivateFolder> copies = std::make_shared<repo::PrivateFolder>();
};

// Finds helm as described in user_program.h.
Result<std::string> find_helm(const std::string& choice, std::string_view search_path);

// Runs the program to get its version.
HelmProgram helm_at(const std::string& path);

// Returns the severity of a failure to render a chart: an error if this machine or the chart is the
// cause, a warning if the chart is not available.
Severity severity_of(const Diagnostic& failure);

struct HelmInput {
    std::string release;
    std::string ns;
    std::vector<Value> values;       // in rising precedence
    std::string kubernetes_version;  // "" = the default of helm
    bool with_crds = true;
    bool with_hooks = false;
};

// Returns the objects, without tests. Fails with helm's standard error; where it may show values of
// a Secret, they are hidden.
Result<std::string> run_helm(const HelmProgram& program, const ChartSource& chart,
                             const HelmInput& input);

}  // namespace renderer::engines
