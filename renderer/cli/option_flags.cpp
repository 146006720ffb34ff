#include "renderer/cli/option_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/engines/argo/argo_clusters.h"
#include "renderer/engines/flux/source_key.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::cli {

namespace {

// True for names and addresses, including IPv6, without ports: all ports of a host are allowed.
bool are_hosts(std::string_view text) {
    const std::vector<std::string_view> hosts = split(text, ',');
    return std::ranges::all_of(hosts, [](std::string_view host) {
        return !host.empty() && std::ranges::count(host, ':') != 1 &&
               std::ranges::all_of(host, [](char c) {
                   return is_alphanumeric(c) ||
                          std::string_view(".-:").find(c) != std::string_view::npos;
               });
    });
}

using GateWords = std::vector<std::pair<std::string, Gate>>;

bool is_gain(const std::string& word) {
    return word.starts_with(kGainsGate) && word.size() > kGainsGate.size();
}

void add_gate_words(CLI::App& verb, Options& options, const GateWords& gates, Gains gains,
                    const char* doc) {
    std::vector<std::string> words;
    for (const auto& [word, gate] : gates) {
        words.push_back(word);
    }
    const auto choose = [&options, gates](const std::vector<std::string>& chosen) {
        options.fail_on.clear();
        options.fail_on_gains.clear();
        for (const std::string& word : chosen) {
            if (is_gain(word)) {
                options.fail_on_gains.push_back(word.substr(kGainsGate.size()));
            } else {
                options.fail_on.push_back(
                    std::ranges::find(gates, word, &GateWords::value_type::first)->second);
            }
        }
    };
    CLI::Option* const option =
        verb.add_option_function<std::vector<std::string>>("--fail-on", choose, doc);
    if (gains == Gains::No) {
        limit(option, words);
    } else {
        words.push_back(std::string(kGainsGate) + "WHO");
        option->type_name(fmt::format("{}", fmt::join(words, "|")));
        option->check([words](const std::string& word) {
            return is_gain(word) || std::ranges::find(words, word) != words.end()
                       ? std::string()
                       : fmt::format("{} not in {{{}}}", word, fmt::join(words, ","));
        });
    }
    option->delimiter(',')->allow_extra_args(false);
}

}  // namespace

CLI::App& add_verb(CLI::App& app, const char* name, const char* doc, const char* examples) {
    CLI::App& verb = *app.add_subcommand(name, doc);
    verb.set_help_flag("-h,--help", kHelp);
    verb.footer(std::string("Examples:\n") + examples);
    return verb;
}

CLI::Option* limit(CLI::Option* option, const std::vector<std::string>& words) {
    return option->check(CLI::IsMember(words).description(""))
        ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

void add_format(CLI::App& verb, Options& options) {
    const auto choose = [&options](const std::vector<std::string>& words) {
        options.diagnostics.clear();
        for (const std::string& word : words) {
            options.diagnostics.push_back(*parse_target(word));
        }
        const auto on_stderr = [](const DiagnosticTarget& target) { return target.file.empty(); };
        if (std::ranges::count_if(options.diagnostics, on_stderr) > 1) {
            throw CLI::ValidationError(
                "--diagnostics", "two formats on standard error; expected FORMAT=FILE for one");
        }
    };
    verb.add_option_function<std::vector<std::string>>(
            "--diagnostics", choose,
            "format of errors and warnings on standard error (default text); FORMAT=FILE writes "
            "them to a file instead (repeatable)")
        ->type_name(format_words())
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
            return parse_target(text)
                       ? std::string()
                       : fmt::format("invalid format \"{}\"; expected one of {}, or FORMAT=FILE",
                                     text, format_words());
        });
}

void add_common(CLI::App& verb, Options& options) {
    verb.add_flag("-q,--quiet", options.quiet, "print diagnostics only, no report");
    const FlagChoices<Color> colors = {
        {"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}};
    add_choice(verb, "--color", options.color, colors,
               "colour on standard error (default auto; NO_COLOR is honoured)");
    add_format(verb, options);
    add(verb, "--log-file", options.log_file, "FILE",
        "append what goes to standard error to this file (or set TAILRENDER_LOG)");
}

void add_diagnostics(CLI::App& verb, Options& options) {
    verb.add_flag("--all", options.all,
                  "print every error and warning, also more than 3 equal ones");
    add_common(verb, options);
}

void add_report(CLI::App& verb, Options& options) {
    verb.add_flag("--all", options.all,
                  "name every device and file in the report, also above 40, and print every error "
                  "and warning, also more than 3 equal ones");
    add_common(verb, options);
}

void add_report_format(CLI::App& verb, Options& options) {
    const FlagChoices<ReportFormat> formats = {{"text", ReportFormat::Text},
                                               {"json", ReportFormat::Json}};
    add_choice(verb, "--format", options.format, formats, "how to print the report (default text)");
}

void add_gates(CLI::App& verb, Options& options, Gains gains) {
    add_gate_words(verb, options,
                   {{"public", Gate::Public},
                    {"removed", Gate::Removed},
                    {"replaced", Gate::Replaced},
                    {"warning", Gate::Warning}},
                   gains,
                   gains == Gains::No
                       ? "exit 4 where something becomes public, a device is removed or replaced "
                         "by another one, or there is a warning (a list, with commas)"
                       : "exit 4 where something becomes public, a device is removed or replaced "
                         "by another one, there is a warning, or WHO (group:dev) may reach more "
                         "by the policy (a list, with commas)");
}

void add_warning_gate(CLI::App& verb, Options& options) {
    add_gate_words(verb, options, {{"warning", Gate::Warning}}, Gains::No,
                   "exit 4 where there is a warning");
}

void add_values(CLI::App& verb, repo::LoadOptions& load) {
    add(verb, "--values", load.values_files, "FILE", "file of Helm values (repeatable, later wins)")
        ->allow_extra_args(false);
    add(verb, "--set", load.sets, "KEY=VALUE", "one Helm value (repeatable, wins over files)")
        ->allow_extra_args(false);
}

void add_namespace(CLI::App& verb, repo::LoadOptions& load, const char* doc) {
    add(verb, "--namespace", load.default_namespace, "NAME", doc)
        ->check([](const std::string& name) {
            return name.empty() || is_dns1123_label(name)
                       ? std::string()
                       : fmt::format("invalid namespace \"{}\"; expected {}", name,
                                     kDnsLabelGrammar);
        });
}

void add_inputs(CLI::App& verb, repo::LoadOptions& load) {
    add(verb, "--cluster", load.cluster, "CLUSTER",
        "cluster of .tailrender.yaml to render for; without that file any name is taken");
    add_values(verb, load);
    add_namespace(verb, load, "namespace of documents without one");
    add(verb, "--context", load.context_dirs, "DIR",
        "directory whose documents are read but never output (repeatable)")
        ->allow_extra_args(false);
}

void add_builds(CLI::App& verb, Options& options) {
    options.load.kustomize.clear();
    add(verb, "--kustomize", options.load.kustomize, "PROGRAM",
        "kustomize or kubectl, for kustomizations that tailrender does not build itself (default: "
        "on PATH); \"none\" runs none");
    options.load.helm.clear();
    add(verb, "--helm", options.load.helm, "PROGRAM",
        "helm, for charts of the tree and of --charts (default: on PATH); \"none\" runs none");
    add(verb, "--charts", options.load.chart_dirs, "DIR",
        "directory with charts, NAME/Chart.yaml or NAME-VERSION.tgz, that are not in the tree "
        "(repeatable)")
        ->allow_extra_args(false);
    add(verb, "--source", options.load.sources, "KEY=DIR",
        "local directory for a source that is not in the tree: KIND/NAME of Flux, or the address "
        "of a repository or of a remote resource (repeatable, later wins)")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
            return engines::parse_source(text)
                       ? std::string()
                       : fmt::format(
                             "invalid source \"{}\"; expected KIND/NAME=DIR, "
                             "KIND/NAMESPACE/NAME=DIR or URL=DIR",
                             secrets::without_url_credentials(text));
        });
    verb.add_flag("--allow-network", options.network,
                  "fetch charts that are not in the tree, by helm and without credentials; "
                  "=HOST[,HOST]... only from these hosts, which may be private")
        ->check([](const std::string& text) {
            return are_hosts(text) ? std::string()
                                   : fmt::format("invalid hosts \"{}\"; expected HOST[,HOST]...",
                                                 secrets::without_url_credentials(text));
        });
}

CLI::Option* add_path(CLI::App& verb, Options& options, const char* doc) {
    return add(verb, "PATH", options.load.path, "DIR", doc);
}

CLI::Option* add_revision(CLI::App& verb, Options& options) {
    return add(verb, "--rev", options.revision, "REV",
               "Git revision to read, instead of the files in the work tree");
}

void add_threads(CLI::App& verb, repo::LoadOptions& load) {
    add(verb, "--threads", load.threads, "N", "threads for reading (default one per core)");
}

void add_stream_reading(CLI::App& verb, repo::LoadOptions& load) {
    add(verb, "--kubernetes-version", load.kubernetes_version, "VERSION",
        "version that objects are validated against (default: the newest known)");
    add_threads(verb, load);
}

void add_argo_clusters(CLI::App& verb, repo::LoadOptions& load) {
    add(verb, "--argo-cluster", load.argo_clusters, "NAME[,server=URL][,LABEL=VALUE]...",
        "a cluster that Argo CD knows, for generators of ApplicationSets that ask for clusters "
        "(repeatable: all of them)")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
            return engines::parse_argo_cluster(text) ? std::string()
                                                     : fmt::format(
                                                           "invalid cluster \"{}\"; expected "
                                                           "NAME[,server=URL][,LABEL=VALUE]...",
                                                           text);
        });
}

void add_reading(CLI::App& verb, Options& options) {
    repo::LoadOptions& load = options.load;
    add(verb, "--include", load.includes, "DIR",
        "directory to render though nothing applies or lists it (repeatable)")
        ->allow_extra_args(false);
    add(verb, "--ignore", load.ignores, "DIR",
        "directory with inputs that nothing has to apply or list (repeatable)")
        ->allow_extra_args(false);
    add_argo_clusters(verb, load);
    add(verb, "--substitute", load.substitutes, "NAME=VALUE",
        "variable of Flux that the tree does not give, such as one of a Secret (repeatable)")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
            const std::string_view name = std::string_view(text).substr(0, text.find('='));
            return name.size() < text.size() && engines::is_variable_name(name)
                       ? std::string()
                       : fmt::format("invalid variable \"{}\"; expected NAME=VALUE", text);
        });
    verb.add_flag("--skip-suspended", load.skip_suspended,
                  "with --only generated: leave out what is suspended or not reconciled");
    add_builds(verb, options);
    add_stream_reading(verb, load);
}

void add_only(CLI::App& verb, Options& options) {
    const FlagChoices<bool> parts = {{"generated", true}};
    add_choice(verb, "--only", options.load.only_generated, parts,
               "leave the sources out of the output: they are applied as they are");
}

CLI::Option* add_sources(CLI::App& verb, Options& options) {
    add_only(verb, options);
    add_inputs(verb, options.load);
    return add_revision(verb, options);
}

CLI::Option* add_output(CLI::App& verb, Options& options, const char* doc) {
    return add(verb, "-o,--output", options.load.output_dir, "DIR", doc);
}

void add_allow_empty(CLI::App& verb, Options& options) {
    verb.add_flag("--allow-empty", options.allow_empty, "accept an empty output");
}

void add_allowed_removals(CLI::App& verb, Options& options) {
    add(verb, "--allow-removal", options.allowed_removals, "PARENT",
        "Kind/namespace/name whose device may be removed without a reason in the sources "
        "(repeatable)")
        ->allow_extra_args(false);
}

void add_prune(CLI::App& verb, Options& options) {
    add_allowed_removals(verb, options);
    verb.add_flag("--prune", options.prune,
                  "treat output for clusters that no longer exist as stale");
}

void add_validate(CLI::App& verb, Options& options) {
    verb.add_flag("--validate", options.load.validate,
                  "validate foreign and generated objects too, as check and lint always do");
}

}  // namespace renderer::cli
