#include "renderer/load/charts/helm_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/sandbox.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/kustomize/private_copy.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/user_program.h"
#include "renderer/secrets/credential_text.h"

namespace renderer {

namespace {

// Helm's own folders, of which none is there, and no cluster.
const std::vector<std::string> kEnvironment = {
    "HELM_CACHE_HOME=/nonexistent", "HELM_CONFIG_HOME=/nonexistent", "HELM_DATA_HOME=/nonexistent",
    "HELM_PLUGINS=/nonexistent", "KUBECONFIG=/nonexistent"};
constexpr std::string_view kDefaultRelease = "release-name";  // of helm itself

Error failed(const ChartSource& chart, const HelmInput& input, std::string message,
             std::string found) {
    return Error{{.rule = "helm-failed",
                  .where = chart.place,
                  .message = std::move(message),
                  .found = std::move(found),
                  .hint = fmt::format("helm template {} {}", input.release, chart.place)}};
}

bool names_credentials(const Value& value) {
    return std::ranges::any_of(members_of(&value),
                               [](const Member& member) {
                                   return names_credential(member.name()) ||
                                          names_credentials(member.value);
                               }) ||
           std::ranges::any_of(items_of(&value), names_credentials);
}

// helm shows values, and lines of templates. What is in an archive is not known.
bool may_show_secrets(const ChartSource& chart, const HelmInput& input) {
    return chart.is_archive() || std::ranges::any_of(input.values, names_credentials) ||
           std::ranges::any_of(chart.files,
                               [](const auto& file) { return names_secrets(file.second); });
}

}  // namespace

Result<std::string> find_helm(const std::string& choice, std::string_view search_path) {
    return find_program({.flag = "--helm", .names = {"helm"}, .expected = "helm"}, choice,
                        search_path);
}

HelmProgram helm_at(const std::string& path) {
    std::string version = run_in_sandbox({{path, "version", "--template", "{{.Version}}"},
                                          kEnvironment,
                                          {.directory = parent_path(path)}},
                                         {})
                              .output;
    return {.path = path, .version = version.starts_with('v') ? std::move(version) : ""};
}

Result<std::string> run_helm(const HelmProgram& program, const ChartSource& chart,
                             const HelmInput& input) {
    const PrivateCopy copy;
    if (copy.path().empty()) {
        return failed(chart, input, "cannot copy the files of this chart",
                      "no temporary directory");
    }
    const std::string release =
        input.release.empty() ? std::string(kDefaultRelease) : input.release;
    std::vector<std::string> arguments = {program.path, "template", "--skip-tests"};
    if (input.with_crds) {
        arguments.emplace_back("--include-crds");
    }
    if (!input.with_hooks) {
        arguments.emplace_back("--no-hooks");
    }
    if (!input.ns.empty()) {
        arguments.insert(arguments.end(), {"--namespace", input.ns});
    }
    if (!input.kubernetes_version.empty()) {
        arguments.insert(arguments.end(), {"--kube-version", input.kubernetes_version});
    }
    bool is_copied = true;
    for (const auto& [path, text] : chart.files) {
        is_copied = is_copied && copy.write(path, text);
    }
    for (const Value& layer : input.values) {
        const std::string name = fmt::format("values-{}.yaml", arguments.size());
        std::string text;
        write_yaml(layer, text);
        is_copied = is_copied && copy.write(name, text);
        arguments.insert(arguments.end(), {"--values", join_path(copy.path(), name)});
    }
    if (!is_copied) {
        return failed(chart, input, "cannot copy the files of this chart",
                      "a path that cannot be made, or no space");
    }
    arguments.insert(arguments.end(), {"--", release, join_path(copy.path(), chart.entry)});
    SandboxRun run =
        run_in_sandbox({std::move(arguments), kEnvironment, {.directory = copy.path()}}, {});
    if (run.exit_code == 0 && run.refusal.empty()) {
        return std::move(run.output);
    }
    return failed(chart, input, "helm cannot render this chart",
                  failure_of(run, join_path(copy.path(), chart.entry), chart.place,
                             may_show_secrets(chart, input)));
}

}  // namespace renderer
