#include "renderer/engines/helm/helm_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/replace.h"
#include "renderer/base/sandbox.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/kube/kinds.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/user_program.h"
#include "renderer/secrets/credential_text.h"

namespace renderer::engines {

namespace {

// None of helm's own directories exists, and there is no cluster.
const std::vector<std::string> kEnvironment = {
    "HELM_CACHE_HOME=/nonexistent", "HELM_CONFIG_HOME=/nonexistent", "HELM_DATA_HOME=/nonexistent",
    "HELM_PLUGINS=/nonexistent", "KUBECONFIG=/nonexistent"};
constexpr std::string_view kHidden = "(hidden)";
constexpr std::string_view kDefaultRelease = "release-name";  // default of helm
constexpr const char* kSkipSchema = "--skip-schema-validation";

Error failed(const ChartSource& chart, const HelmInput& input, std::string message,
             std::string found) {
    return Error{{.rule = "helm-failed",
                  .where = chart.place,
                  .message = std::move(message),
                  .found = std::move(found),
                  .hint = fmt::format("helm template {} {}{}", shell_word(input.release),
                                      shell_word(chart.place),
                                      input.values.empty() ? "" : " --values VALUES")}};
}

bool names_credentials(const Value& value) {
    return std::ranges::any_of(members_of(&value),
                               [](const Member& member) {
                                   return secrets::names_credential(member.name()) ||
                                          names_credentials(member.value);
                               }) ||
           std::ranges::any_of(items_of(&value), names_credentials);
}

// Messages of helm show values and lines of templates. The content of an archive is not known.
bool may_show_secrets(const ChartSource& chart, const HelmInput& input) {
    return chart.is_archive() || std::ranges::any_of(input.values, names_credentials) ||
           std::ranges::any_of(chart.files,
                               [](const auto& file) { return repo::names_secrets(file.second); });
}

// Collects the scalars of values, without those that are too short to be distinguished from other
// words.
void collect_scalars(const Value& value, std::vector<std::string>& out) {
    constexpr std::size_t kShortest = 4;
    for (const Member& member : members_of(&value)) {
        collect_scalars(member.value, out);
    }
    for (const Value& item : items_of(&value)) {
        collect_scalars(item, out);
    }
    const std::string_view text = spelling_of(value);
    if (text.size() >= kShortest && text != "true" && text != "false" && text != "null") {
        out.emplace_back(text);
    }
}

// Replaces the text between pairs of `mark`, except for paths of templates.
std::string without_quoted(std::string_view text, char mark) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find(mark);
        const std::size_t close = open == std::string_view::npos ? open : text.find(mark, open + 1);
        if (close == std::string_view::npos) {
            return out.append(text);
        }
        const std::string_view inner = text.substr(open + 1, close - open - 1);
        const bool is_path = inner.find("templates/") != std::string_view::npos &&
                             inner.find(' ') == std::string_view::npos;
        out.append(text.substr(0, open + 1)).append(is_path ? inner : kHidden) += mark;
        text.remove_prefix(close + 1);
    }
    return out;
}

std::string without_values(std::string text, const ChartSource& chart, const HelmInput& input) {
    std::vector<std::string> values;
    for (const Value& layer : input.values) {
        collect_scalars(layer, values);
    }
    for (const auto& [path, file] : chart.files) {
        if (repo::base_name(path) == "values.yaml") {
            collect_scalars(read_text(file), values);
        }
    }
    // Longer ones come first, as one may be part of another.
    std::ranges::sort(values, [](const std::string& a, const std::string& b) {
        return std::pair(b.size(), std::string_view(a)) < std::pair(a.size(), std::string_view(b));
    });
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const std::string& value : values) {
        text = replace_all(text, value, kHidden);
    }
    return text;
}

// Returns the position in a template that a message of helm names ("web/templates/a.yaml:2:5"), or
// "".
std::string_view place_in(std::string_view text) {
    constexpr std::string_view kOfPlaces =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:";
    const std::size_t found = text.find("/templates/");
    if (found == std::string_view::npos) {
        return {};
    }
    const std::size_t before = text.find_last_not_of(kOfPlaces, found);
    text.remove_prefix(before == std::string_view::npos ? 0 : before + 1);
    text = text.substr(0, text.find_first_not_of(kOfPlaces));
    return text.substr(0, text.find_last_not_of(':') + 1);
}

// True for templates that contain no Secret. Their lines may be shown.
bool is_plain_template(const ChartSource& chart, std::string_view place) {
    const std::string_view path = place.substr(0, place.find(':'));
    const auto file = chart.files.find(
        repo::join_path(chart.entry, std::string(path.substr(path.find('/') + 1))));
    return file != chart.files.end() && !repo::names_secrets(file->second);
}

// Returns a message of helm without values that may be secret.
std::string shown_words(std::string text, const ChartSource& chart, const HelmInput& input) {
    if (!may_show_secrets(chart, input)) {
        return without_values(std::move(text), chart, input);
    }
    const std::string_view place = place_in(text);
    if (place.empty() ? !chart.is_archive() : is_plain_template(chart, place)) {
        text = without_values(std::move(text), chart, input);
        return without_quoted(without_quoted(text, '"'), '`');
    }
    return fmt::format("{}{}a message that may hold values of a Secret", place,
                       place.empty() ? "" : ": ");
}

// helm fetches schemas that a schema refers to, and there is no network.
bool refers_to_network(const Value& schema) {
    return std::ranges::any_of(
               members_of(&schema),
               [](const Member& member) {
                   const std::string_view text = text_of(member.value);
                   return (member.name() == "$ref" &&
                           (text.starts_with("https://") || text.starts_with("http://"))) ||
                          refers_to_network(member.value);
               }) ||
           std::ranges::any_of(items_of(&schema), refers_to_network);
}

bool has_remote_schema(const ChartSource& chart) {
    return std::ranges::any_of(chart.files, [](const auto& file) {
        return repo::base_name(file.first) == "values.schema.json" &&
               file.second.find("$ref") != std::string::npos &&
               refers_to_network(read_text(file.second));
    });
}

// True if helm failed because it could not fetch a schema of a chart in an archive.
bool misses_schema(const SandboxRun& run) {
    return run.errors.find("meet the specifications of the schema") != std::string::npos &&
           run.errors.find("failing loading \"http") != std::string::npos;
}

}  // namespace

Severity severity_of(const Diagnostic& failure) {
    const bool is_error = failure.rule == "no-helm" || failure.rule == "helm-failed" ||
                          failure.rule == "chart-not-fetched";
    return is_error ? Severity::Error : Severity::Warning;
}

Result<std::string> find_helm(const std::string& choice, std::string_view search_path) {
    return repo::find_program({.flag = "--helm", .names = {"helm"}, .expected = "helm"}, choice,
                              search_path);
}

HelmProgram helm_at(const std::string& path) {
    std::string version = run_in_sandbox({{path, "version", "--template", "{{.Version}}"},
                                          kEnvironment,
                                          {.directory = repo::parent_path(path)}},
                                         {})
                              .output;
    return {.path = path, .version = version.starts_with('v') ? std::move(version) : ""};
}

Result<std::string> run_helm(const HelmProgram& program, const ChartSource& chart,
                             const HelmInput& input) {
    const repo::PrivateCopy copy(*program.copies);
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
    // A chart may ask whether the cluster has Tailscale's kinds.
    arguments.insert(arguments.end(), {"--api-versions", std::string(kCustomVersion)});
    for (const Kind& kind : kKinds) {
        if (kind.is_custom()) {
            arguments.insert(arguments.end(),
                             {"--api-versions", fmt::format("{}/{}", kCustomVersion, kind.name)});
        }
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
        arguments.insert(arguments.end(), {"--values", repo::join_path(copy.path(), name)});
    }
    if (!is_copied) {
        return failed(chart, input, "cannot copy the files of this chart",
                      "a path that cannot be made, or no space");
    }
    arguments.insert(arguments.end(), {"--", release, repo::join_path(copy.path(), chart.entry)});
    const auto run_with = [&](const std::vector<std::string>& given) {
        return run_in_sandbox({given, kEnvironment, {.directory = copy.path()}}, {});
    };
    const bool skips_schema = has_remote_schema(chart);
    if (skips_schema) {
        arguments.insert(arguments.begin() + 2, kSkipSchema);
    }
    SandboxRun run = run_with(arguments);
    if (!skips_schema && run.exit_code != 0 && misses_schema(run)) {
        arguments.insert(arguments.begin() + 2, kSkipSchema);
        run = run_with(arguments);
    }
    if (run.exit_code == 0 && run.refusal.empty()) {
        return std::move(run.output);
    }
    std::string words =
        repo::failure_of(run, repo::join_path(copy.path(), chart.entry), chart.place, false);
    return failed(
        chart, input, "helm cannot render this chart",
        run.refusal.empty() ? shown_words(std::move(words), chart, input) : std::move(words));
}

}  // namespace renderer::engines
