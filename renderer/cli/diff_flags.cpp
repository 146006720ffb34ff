#include "renderer/cli/option_flags.h"

namespace renderer::cli {
void add_policies(CLI::App& verb, Options& options, CLI::Option* needed) {
    DiffPolicies& policies = options.diff_policies;
    for (CLI::Option* flag :
         {add(verb, "--policy", policies.file, "FILE",
              "policy file of the tailnet (HuJSON), below BASE and below HEAD: say who gains and "
              "loses what (default: policy of .tailrender.yaml)"),
          add(verb, "--policy-base", policies.base, "FILE", "policy file for BASE, on the disk"),
          add(verb, "--policy-head", policies.head, "FILE", "policy file for HEAD, on the disk"),
          add(verb, "--tailnet", options.policy.tailnet, "NAME",
              "Tailnet whose policy it is (default: that of the controller)")}) {
        if (needed != nullptr) {
            flag->needs(needed);
        }
    }
}

void add_diff(CLI::App& app, Options& options) {
    CLI::App& verb =
        add_verb(app, "diff", "explain what a change of the sources means",
                 "  tailrender diff main .                 # a revision and this directory\n"
                 "  tailrender diff main feature:apps      # a path of a revision\n"
                 "  tailrender diff rendered .             # what a render would change\n"
                 "  tailrender diff . . --set-head tailrender.operatorVersion=1.104\n"
                 "  tailrender diff --format markdown origin/main . > comment.md\n"
                 "  tailrender diff --format html main . > change.html\n"
                 "  tailrender diff --format json main . | conftest test -\n"
                 "  tailrender diff --policy policy.hujson main .     # who gains and loses what\n"
                 "  tailrender diff --fail-on public,removed main .   # exit 4 for these");
    add(verb, "BASE", options.base, "REV",
        "the old side: a directory, or REV[:PATH]; sources or a rendered tree")
        ->required();
    add(verb, "HEAD", options.head, "REV", "the new side")->required();
    const FlagChoices<ReportFormat> formats = {{"terminal", ReportFormat::Text},
                                               {"markdown", ReportFormat::Markdown},
                                               {"json", ReportFormat::Json},
                                               {"html", ReportFormat::Html}};
    add_choice(verb, "--format", options.format, formats, "how to print it (default terminal)");
    add(verb, "--link-sources", options.link_sources, "URL",
        "with --format markdown or html: link sources of HEAD below this address, such as "
        "https://…/blob/REV");
    add_only(verb, options);
    add_inputs(verb, options.load);
    add_policies(verb, options);
    add_gates(verb, options, Gains::Yes);
    verb.add_flag("--exit-code", options.exit_code, "exit 3 when anything differs");
    add(verb, "--set-head", options.head_sets, "KEY=VALUE",
        "one Helm value for HEAD only, such as tailrender.operatorVersion=1.104 (repeatable)")
        ->allow_extra_args(false);
    add(verb, "--hash-key", options.hash_key_file, "FILE",
        "file with the key for hashes of secret values (default random)");
    add_allowed_removals(verb, options);
    add_reading(verb, options);
    add_diagnostics(verb, options);
}

}  // namespace renderer::cli
