#include "renderer/cli/shared_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "renderer/kube/name_grammar.h"

namespace renderer {

namespace {

const std::map<std::string, Color> kColors = {
    {"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}};

}  // namespace

void add_common(CLI::App& verb, Options& options) {
    verb.add_flag("-q,--quiet", options.quiet, "print diagnostics only, no report");
    verb.add_option_function<std::string>(
            "--color", [&options](const std::string& when) { options.color = kColors.at(when); },
            "colour on standard error (default auto; NO_COLOR is honoured)")
        ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
        ->type_name("auto|always|never");
    verb.add_option("--log-file", options.log_file,
                    "append what goes to standard error to this file (or set TAILRENDER_LOG)")
        ->type_name("FILE");
}

void add_report(CLI::App& verb, Options& options) {
    verb.add_flag("--all", options.all, "name every device and file in the report, also above 40");
    add_common(verb, options);
}

void add_values(CLI::App& verb, Options& options) {
    LoadOptions& load = options.load;
    verb.add_option("--values", load.values_files, "file of Helm values (repeatable, later wins)")
        ->type_name("FILE")
        ->allow_extra_args(false);
    verb.add_option("--set", load.sets, "one Helm value (repeatable, wins over files)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_namespace(CLI::App& verb, Options& options, const char* doc) {
    verb.add_option("--namespace", options.load.default_namespace, doc)
        ->type_name("NAME")
        ->check([](const std::string& name) {
            return name.empty() || is_dns1123_label(name)
                       ? std::string()
                       : fmt::format("invalid namespace \"{}\"; expected {}", name,
                                     kDnsLabelGrammar);
        });
}

void add_inputs(CLI::App& verb, Options& options) {
    LoadOptions& load = options.load;
    verb.add_option(
            "--cluster", load.cluster,
            "cluster of .tailrender.yaml to render for; without that file any name is taken")
        ->type_name("NAME");
    add_values(verb, options);
    verb.add_option("--context", load.context_dirs,
                    "directory whose documents are read but never output (repeatable)")
        ->type_name("DIR")
        ->allow_extra_args(false);
    add_namespace(verb, options, "namespace of documents without one");
    verb.add_option("--kubernetes-version", load.kubernetes_version,
                    "version that objects are validated against (default: the newest known)")
        ->type_name("VERSION");
    verb.add_option("--threads", load.threads, "threads for reading (default one per core)")
        ->type_name("N");
}

CLI::Option* add_revision(CLI::App& verb, Options& options) {
    return verb
        .add_option("--rev", options.revision,
                    "Git revision to read, instead of the files in the work tree")
        ->type_name("REV");
}

void add_path(CLI::App& verb, Options& options) {
    verb.add_option("PATH", options.load.path, "directory or file to render")
        ->required()
        ->type_name("DIR");
    add_revision(verb, options);
}

CLI::Option* add_output(CLI::App& verb, Options& options, const char* doc) {
    return verb.add_option("-o,--output", options.load.output_dir, doc)->type_name("DIR");
}

void add_allow_empty(CLI::App& verb, Options& options) {
    verb.add_flag("--allow-empty", options.allow_empty, "accept an empty output");
}

void add_prune(CLI::App& verb, Options& options) {
    verb.add_flag("--prune", options.prune,
                  "treat output for clusters that no longer exist as stale");
}

void add_validate(CLI::App& verb, Options& options) {
    verb.add_flag("--validate", options.load.validate,
                  "validate foreign and generated objects too, as check and lint always do");
}

CLI::App& add_verb(CLI::App& app, const char* name, const char* doc, const char* examples) {
    CLI::App& verb = *app.add_subcommand(name, doc);
    verb.set_help_flag("-h,--help", kHelp);
    verb.footer(std::string("Examples:\n") + examples);
    return verb;
}

}  // namespace renderer
