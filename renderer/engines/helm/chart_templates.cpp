#include "renderer/engines/helm/chart_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/yaml_writer.h"
#include "renderer/engines/helm/cluster_conditions.h"
#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/user_program.h"

namespace renderer::engines {

namespace {

Error no_helm(const std::string& place) {
    return Error{{.rule = "no-helm",
                  .where = place,
                  .message = "this chart is not rendered: there is no helm on PATH",
                  .found = fmt::format("\"tailscale\" in {} or in its values", place),
                  .expected = "helm, which renders what it exposes",
                  .hint = "install it, or name it with --helm PROGRAM; --helm none leaves charts "
                          "out, and names what they expose"}};
}

}  // namespace

bool any_matters(const std::vector<Value>& values, const repo::TextTest& matters) {
    return std::ranges::any_of(values, [&](const Value& layer) {
        std::string text;
        write_yaml(layer, text);
        return matters(text);
    });
}

ChartTemplates::ChartTemplates(const repo::SourceTree& tree, const repo::LoadOptions& options)
    : library_(tree, options),
      helm_(options.helm),
      kubernetes_version_(options.kubernetes_version) {}

Result<std::optional<std::string>> ChartTemplates::render(const ChartRelease& release,
                                                          const std::vector<Value>& values,
                                                          const repo::TextTest& matters,
                                                          bool is_required) {
    const std::optional<std::string> none;
    is_left_ = true;
    cluster_condition_.reset();
    failure_.clear();
    const bool is_run = helm_ != repo::kNoProgram;
    if ((!is_run && release.dir.empty()) || !release.unknown.empty()) {
        return none;
    }
    bool is_certain = is_required || any_matters(values, matters);
    // A caller for which "" matters wants all charts.
    const bool is_wanted = is_certain || matters("");
    Result<std::optional<ChartSource>> found = library_.find(release);
    if (found && !*found && is_wanted) {
        found = library_.fetch(release);
    }
    if (!found) {
        return is_certain && is_run ? Result<std::optional<std::string>>(std::move(found.error()))
                                    : none;
    }
    if (!*found) {
        return none;
    }
    is_left_ = false;
    ChartSource& chart = **found;
    if (release.replaces_defaults) {
        chart.files[repo::join_path(chart.entry, "values.yaml")].clear();
    }
    Result<bool> is_whole = library_.complete(chart, false);
    if (chart.operator_keys.empty()) {
        is_certain = is_certain || std::ranges::any_of(chart.files, [&](const auto& file) {
                         return matters(file.second);
                     });
    } else {
        is_certain = has_own_matter(chart, values, matters);
        if (!is_certain || (is_whole && !makes_objects(chart))) {
            return std::optional(std::string());  // known without running helm
        }
    }
    if (!is_run) {
        is_left_ = true;
        return none;
    }
    if (!is_whole && is_certain) {
        is_whole = library_.complete(chart, true);
    }
    if (!is_certain && !chart.is_archive()) {
        failure_ = is_whole ? std::string() : is_whole.error().diagnostic.found;
        return none;
    }
    if (!is_whole) {
        return std::move(is_whole.error());
    }
    if (helm_.empty()) {
        return is_certain ? Result<std::optional<std::string>>(no_helm(chart.place)) : none;
    }
    if (!program_) {
        program_ = helm_at(helm_);
    }
    HelmInput input{.release = release.name,
                    .ns = release.ns,
                    .values = {},
                    .kubernetes_version = kubernetes_version_,
                    .with_crds = release.with_crds,
                    .with_hooks = release.with_hooks};
    for (const Value& layer : values) {
        input.values.push_back(layer.clone());
    }
    Result<std::string> text = run_helm(*program_, chart, input);
    if (!text && is_certain) {
        return std::move(text.error());
    }
    if (!text) {
        return none;
    }
    const bool is_of_argo = release.object.starts_with("Application/");
    cluster_condition_ = find_cluster_condition(chart, *text, matters, is_of_argo);
    return std::optional(std::move(*text));
}

}  // namespace renderer::engines
