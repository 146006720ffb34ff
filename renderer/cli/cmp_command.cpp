#include "renderer/cli/cmp_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/trees.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/emit/emit.h"
#include "renderer/load/load.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {
namespace {

constexpr std::string_view kParameters = "ARGOCD_APP_PARAMETERS";
constexpr std::string_view kDestination = "ARGOCD_APP_NAMESPACE";
constexpr std::string_view kPrefix = "ARGOCD_ENV_TAILRENDER_";

// The values of Argo CD's `collectionType`, in the order of kCollections.
enum class Collection : std::uint8_t { String, Array, Map };

constexpr std::array<std::string_view, 3> kCollections = {"string", "array", "map"};

struct Parameter {
    std::string_view name, variable, title, tooltip;
    Collection collection = Collection::String;
    // The option that the parameter sets. If both are null, it sets `validate`.
    std::string repo::LoadOptions::*text = nullptr;
    std::vector<std::string> repo::LoadOptions::*list = nullptr;
};

constexpr std::array kKnown = {
    Parameter{.name = "cluster",
              .variable = "CLUSTER",
              .title = "Cluster",
              .tooltip = "cluster of .tailrender.yaml to render for",
              .text = &repo::LoadOptions::cluster},
    Parameter{.name = "namespace",
              .variable = "NAMESPACE",
              .title = "Namespace",
              .tooltip = "namespace of documents without one; by default the destination's",
              .text = &repo::LoadOptions::default_namespace},
    Parameter{.name = "values-files",
              .variable = "VALUES_FILES",
              .title = "Values files",
              .tooltip = "files of Helm values, relative to the application; later files win",
              .collection = Collection::Array,
              .list = &repo::LoadOptions::values_files},
    Parameter{.name = "set",
              .variable = "SET",
              .title = "Settings",
              .tooltip = "single Helm values by path, such as tailrender.tailnetDomain; they win "
                         "over files",
              .collection = Collection::Map,
              .list = &repo::LoadOptions::sets},
    Parameter{.name = "context",
              .variable = "CONTEXT",
              .title = "Context",
              .tooltip = "directories whose documents are read but never output",
              .collection = Collection::Array,
              .list = &repo::LoadOptions::context_dirs},
    Parameter{.name = "kubernetes-version",
              .variable = "KUBERNETES_VERSION",
              .title = "Kubernetes version",
              .tooltip = "version that objects are validated against",
              .text = &repo::LoadOptions::kubernetes_version},
    Parameter{.name = "validate",
              .variable = "VALIDATE",
              .title = "Validate",
              .tooltip = "true: validate foreign and generated objects too"},
};

// The values of a parameter, of any collection type. A map becomes a list of `path=value`.
struct Given {
    const Parameter* parameter;
    std::vector<std::string> values;
};

Error invalid(std::string_view where, std::string message, std::string found,
              std::string expected) {
    return Error{{.rule = "invalid-parameter",
                  .where = std::string(where),
                  .message = std::move(message),
                  .found = std::move(found),
                  .expected = std::move(expected)}};
}

Error unknown(std::string_view where, std::string_view name,
              const std::vector<std::string>& known) {
    const std::string_view near = nearest(name, {known.begin(), known.end()});
    return Error{{.rule = "unknown-parameter",
                  .where = std::string(where),
                  .message = fmt::format("unknown parameter \"{}\"", name),
                  .expected = fmt::format("one of {{ {} }}", fmt::join(known, ", ")),
                  .hint = did_you_mean(near)}};
}

std::vector<std::string> known_names(std::string_view Parameter::*member, std::string_view prefix) {
    std::vector<std::string> names;
    names.reserve(std::size(kKnown));
    for (const Parameter& parameter : kKnown) {
        names.push_back(fmt::format("{}{}", prefix, parameter.*member));
    }
    return names;
}

// Escapes a value for the grammar of --set.
std::string escaped(std::string_view value) {
    std::string out;
    for (const char c : value) {
        if (c == ',' || c == '\\' || (out.empty() && c == '{')) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

Result<Unit> take_parameter(const Value& value, Collection collection,
                            std::vector<std::string>& out) {
    const bool fits = collection == Collection::String  ? value.is_string()
                      : collection == Collection::Array ? value.is_list()
                                                        : value.is_map();
    bool are_texts = fits;
    if (value.is_string()) {
        out.emplace_back(value.text());
    }
    for (const Value& item : items_of(&value)) {
        are_texts = are_texts && item.is_string();
        out.emplace_back(text_of(item));
    }
    for (const Member& member : members_of(&value)) {
        are_texts = are_texts && member.value.is_string();
        out.push_back(fmt::format("{}={}", member.name(), escaped(text_of(member.value))));
    }
    if (!are_texts) {
        return invalid(
            kParameters, "a parameter has the wrong type", std::string(kind_name(value)),
            fmt::format("{} of strings", kCollections[static_cast<std::size_t>(collection)]));
    }
    return Unit{};
}

// Decodes `{"name": "cluster", "string": "home"}`. The key of the value is its type.
Result<Given> decode(const Value& entry) {
    const std::string_view name = entry.is_map() ? text_of(entry.find("name")) : "";
    const auto* parameter = std::ranges::find(kKnown, name, &Parameter::name);
    if (parameter == kKnown.end()) {
        return unknown(kParameters, name, known_names(&Parameter::name, ""));
    }
    Given given{parameter, {}};
    const std::string_view type = kCollections[static_cast<std::size_t>(parameter->collection)];
    for (const Member& member : entry.members()) {
        if (member.name() == "name" || member.value.is_null()) {
            continue;
        }
        if (member.name() != type) {
            return invalid(kParameters, fmt::format("parameter \"{}\" has the wrong type", name),
                           std::string(member.name()), std::string(type));
        }
        TRY(take_parameter(member.value, parameter->collection, given.values));
    }
    return given;
}

Result<std::vector<Given>> parameters_of(const Environment& environment) {
    std::vector<Given> all;
    const auto found = environment.find(kParameters);
    if (found == environment.end() || found->second.empty()) {
        return all;
    }
    Result<Value> json = read_json(found->second);
    if (!json || !(json->is_list() || json->is_null())) {
        return invalid(kParameters, "cannot parse the application's parameters",
                       json ? std::string(kind_name(*json)) : json.error().diagnostic.message,
                       "a JSON list");
    }
    for (const Value& entry : items_of(&*json)) {
        all.push_back(TRY(decode(entry)));
    }
    return all;
}

// Returns the application's `plugin.env`. A variable may have several values, one per line.
Result<std::vector<Given>> variables_of(const Environment& environment) {
    std::vector<Given> all;
    for (const auto& [name, value] : environment) {
        if (!name.starts_with(kPrefix)) {
            continue;
        }
        const std::string_view own = std::string_view(name).substr(kPrefix.size());
        const auto* parameter = std::ranges::find(kKnown, own, &Parameter::variable);
        if (parameter == kKnown.end()) {
            return unknown("plugin.env", fmt::format("TAILRENDER_{}", own),
                           known_names(&Parameter::variable, "TAILRENDER_"));
        }
        Given given{parameter, {}};
        for (const std::string_view line : split(value, '\n')) {
            if (!line.empty()) {
                given.values.emplace_back(line);
            }
        }
        all.push_back(std::move(given));
    }
    return all;
}

// An empty string means that a field of the form was left empty, so it is ignored.
Result<Unit> apply(const Given& given, repo::LoadOptions& options) {
    const Parameter& parameter = *given.parameter;
    if (parameter.list != nullptr) {
        std::vector<std::string>& list = options.*parameter.list;
        list.insert(list.end(), given.values.begin(), given.values.end());
        return Unit{};
    }
    const std::string text = given.values.empty() ? "" : given.values.front();
    if (text.empty()) {
        return Unit{};
    }
    if (parameter.text != nullptr) {
        options.*parameter.text = text;
        return Unit{};
    }
    if (text != "true" && text != "false") {
        return invalid(parameter.name, "invalid parameter value", fmt::format("\"{}\"", text),
                       "\"true\" or \"false\"");
    }
    options.validate = text == "true";
    return Unit{};
}

Diagnostic cluster_needed(const std::vector<std::string>& names) {
    return {.rule = "cluster-needed",
            .where = ".tailrender.yaml",
            .message = "an application has one cluster, but several are listed",
            .found = some_quoted(names),
            .expected = "a parameter \"cluster\"",
            .hint = "set spec.source.plugin.parameters: [{name: cluster, string: NAME}]"};
}

// Argo CD stores the output in Redis, in plaintext.
Diagnostic secret_in_cache(const emit::PlaintextSecret& secret) {
    return {
        .rule = "secret-in-cache",
        .pos = secret.pos,
        .where = "generate",
        .object = secret.object,
        .message = "a Secret with plaintext credentials would reach Argo CD's cache",
        .expected = "no credentials in the output",
        .hint = std::string(
            secret.foreign ? kForeignSecretHint
                           : "create the Secret in the cluster (tailrender.secrets: reference)")};
}

Diagnostic nothing_made() {
    return {.rule = "empty-output",
            .where = ".",
            .message = "the output is empty: Argo CD would delete everything",
            .expected = "at least one Kubernetes document",
            .hint = "if the empty output is intended, add --allow-empty in plugin.yaml"};
}

// Returns true if a file is missing: Argo CD may have sent only a part of the repository.
bool misses_file(const Run& run) {
    constexpr std::array<std::string_view, 5> kMissing = {
        "unreadable", "missing-file", "missing-path", "missing-resource", "broken-link"};
    return std::ranges::any_of(run.diagnostics.all(), [&](const Diagnostic& diagnostic) {
        return std::ranges::find(kMissing, diagnostic.rule) != kMissing.end();
    });
}

// Returns the output of `cmp discover`. Argo CD takes any output as a match; an empty output is no
// error. It asks plug-ins before it tries Helm and kustomize, and even if the application names its
// plug-in, so only applications that are meant for tailrender may match.
std::string_view what_matches(const Environment& environment) {
    std::error_code code;
    if (std::filesystem::is_regular_file(".tailrender.yaml", code)) {
        return ".tailrender.yaml\n";
    }
    const auto first = environment.lower_bound(kPrefix);
    return first != environment.end() && first->first.starts_with(kPrefix) ? "plugin.env\n" : "";
}

// Returns the environment variables that Argo CD sets for plug-ins.
Environment argo_environment() {
    Environment found;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (text.starts_with("ARGOCD_") && equals != std::string_view::npos) {
            found.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return found;
}

Result<int> generate(const Options& options, const repo::LoadOptions& input, ClusterRuns& runs,
                     Console& console) {
    const std::vector<std::string> names = load::cluster_names(input);
    if (input.cluster.empty() && names.size() > 1) {
        return Error{cluster_needed(names)};
    }
    if (!runs.render_one(input)) {
        if (misses_file(runs.last())) {
            console.err(
                "note: Argo CD sends a plug-in the whole repository unless the annotation "
                "argocd.argoproj.io/manifest-generate-paths or a tar exclusion of the repo "
                "server narrows it: a file outside the transmitted tree is missing here\n");
        }
        return runs.fail(console);
    }
    const Run& run = runs.last();
    const emit::Output output{run.loaded, run.plan, run.objects};
    if (const auto secret = emit::find_plaintext_secret(output)) {
        return Error{secret_in_cache(*secret)};
    }
    std::string text;
    emit::emit_stream(output, input.threads, [&](std::string_view piece) { text += piece; });
    if (text.empty() && !may_be_empty(options, run.loaded)) {
        return Error{nothing_made()};
    }
    runs.print_diagnostics(console);
    return console.out(text) ? 0 : 1;
}

}  // namespace

Result<Unit> apply_application(const Environment& environment, repo::LoadOptions& options) {
    const auto destination = environment.find(kDestination);
    if (destination != environment.end()) {
        options.default_namespace = destination->second;
    }
    for (const Given& given : TRY(variables_of(environment))) {
        TRY(apply(given, options));
    }
    for (const Given& given : TRY(parameters_of(environment))) {
        TRY(apply(given, options));
    }
    return Unit{};
}

std::string work_tree_of(const Environment& environment, const std::string& here) {
    const auto found = environment.find("ARGOCD_APP_SOURCE_PATH");
    const std::string path = found == environment.end() ? "." : repo::normal_path(found->second);
    const bool is_below = path != "." && here.ends_with(fmt::format("/{}", path));
    return is_below ? here.substr(0, here.size() - path.size() - 1) : repo::work_tree_top(here);
}

std::string parameters_json(const std::vector<std::string>& clusters) {
    Value all = Value::list();
    for (const Parameter& parameter : kKnown) {
        const bool is_cluster = parameter.name == "cluster";
        const std::string_view type = kCollections[static_cast<std::size_t>(parameter.collection)];
        Value entry = Value::map(
            {{"name", parameter.name},
             {"title", parameter.title},
             {"tooltip", is_cluster && !clusters.empty()
                             ? fmt::format("{}: {}", parameter.tooltip, fmt::join(clusters, ", "))
                             : std::string(parameter.tooltip)},
             {"required", is_cluster && clusters.size() > 1},
             {"collectionType", type}});
        put_if(entry, is_cluster && clusters.size() == 1, "string",
               clusters.empty() ? std::string() : clusters.front());
        all.append(std::move(entry));
    }
    return write_json(all) + "\n";
}

Result<int> run_cmp(const Options& options, ClusterRuns& runs, Console& console) {
    const Environment environment = argo_environment();
    repo::LoadOptions input = options.load;
    input.path = ".";
    if (options.action == "discover") {
        return console.out(what_matches(environment)) ? 0 : 1;
    }
    if (options.action == "parameters") {
        return console.out(parameters_json(load::cluster_names(input))) ? 0 : 1;
    }
    TRY(apply_application(environment, input));
    // The application's author names the files, so none of them may be outside of the checkout.
    input.tree =
        std::make_shared<repo::DiskTree>(std::vector<std::string>(), std::vector<std::string>{"."},
                                         work_tree_of(environment, repo::canonical_path(".")));
    return generate(options, input, runs, console);
}

}  // namespace renderer::cli
