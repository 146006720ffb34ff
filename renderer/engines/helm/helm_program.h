// Runs the user's own `helm template`, on a private copy of a chart, without network, programs or
// much time. Source: helm cmd/helm/template.go (what it does without flags: no cluster is asked).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_source.h"

namespace renderer {

struct HelmProgram {
    std::string path;     // absolute
    std::string version;  // "v3.19.0"; "" when it does not say
};

// As user_program.h finds it.
Result<std::string> find_helm(const std::string& choice, std::string_view search_path);

// Asks it for its version.
HelmProgram helm_at(const std::string& path);

// Of what prevents that a chart is rendered: an error where this machine is to blame, or the chart
// itself, a warning where it is not at hand.
Severity severity_of(const Diagnostic& failure);

struct HelmInput {
    std::string release;
    std::string ns;
    std::vector<Value> values;       // in rising precedence
    std::string kubernetes_version;  // "" = the one that helm was made for
    bool with_crds = true;
    bool with_hooks = false;
};

// Objects without tests. Fails with what helm printed to standard error; where that may show values
// of a Secret, they are hidden.
Result<std::string> run_helm(const HelmProgram& program, const ChartSource& chart,
                             const HelmInput& input);

}  // namespace renderer
