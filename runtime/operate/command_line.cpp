#include "runtime/operate/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <utility>
#include <vector>

#include "renderer/core/known_words.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/base/url.h"

namespace runtime::operate {

using renderer::chosen_verb;

namespace {

constexpr std::string_view kVersion = "tailrender-runtime " TAILRENDER_VERSION "\n";

constexpr std::string_view kUsage =
    "usage: tailrender-runtime controller | nameserver\n"
    "       tailrender-runtime adopt | cleanup | status [OPTIONS]\n"
    "       tailrender-runtime [ROLE] --help | --version\n"
    "\n"
    "controller  gives rendered proxies their auth keys and removes the devices of deleted ones;\n"
    "            runs in the Deployment that `tailrender install` renders; configured by its "
    "environment\n"
    "nameserver  answers for ts.net inside the cluster, on port 1053 (UDP and TCP), from "
    "/config/records.json,\n"
    "            which the controller writes; runs in the Deployment that a DNSConfig becomes\n"
    "adopt       moves the proxies of a running Tailscale operator to rendered ones; run by hand\n"
    "cleanup     removes what the controller has created, before an uninstall; run by hand\n"
    "status      shows whether the controller is running, and the devices of the proxies; run by "
    "hand\n"
    "\n"
    "Exit codes: 0 done; 1 not done, with the reason on stderr; 2 wrong usage.\n";

constexpr int kLongestPatience = 24 * 60 * 60;

constexpr std::string_view kStatusHelp =
    "NAME     pod of the proxy\n"
    "STATE    waiting: has not joined the tailnet yet\n"
    "         joined: the pod that runs has joined\n"
    "         restarting: has joined from a pod that is being deleted, or no longer exists\n"
    "         leaving: no longer wanted; its device is removed after tailrender.cleanupDelay\n"
    "         unknown: no permission to read the state\n"
    "FQDN     its name in the tailnet\n"
    "PARENT   Kind/namespace/name that it is for\n"
    "PROBLEM  what blocks the controller or the pod\n"
    "wide     HOSTNAME that it asks for, its ADDRESSES in the tailnet, TAGS, TAILNET (none: the "
    "controller's own), AGE of the pod\n"
    "\n"
    "A second table has the Tailscale Services that groups offer, if there are any:\n"
    "STATE    waiting: is not registered yet, or no replica of the group serves it\n"
    "         registered: the tailnet has it, and a replica serves it\n"
    "         refused: by the tailnet, or by its owner there\n"
    "         leaving: no longer offered\n"
    "ADDRESS  its first one; wide has all, its FQDN and its GROUP\n"
    "\n"
    "The first line tells whether the controller is running. If not, its records are shown as of "
    "the time when it was last\n"
    "seen; StatefulSets and pods are always shown as they are now.\n"
    "\n"
    "It reads ConfigMaps, Deployments, StatefulSets and Pods of the namespace, which ClusterRole "
    "view allows, Leases if allowed, and\n"
    "Secrets only where the controller has not written anything yet. What cannot be read is left "
    "out, and listed.\n"
    "\n"
    "Exit codes: 0 the controller is running; 1 it is not, or that is unknown, or nothing can be "
    "shown; 2 wrong usage.\n";

std::string check_namespace(const std::string& text) {
    return renderer::is_dns1123_label(text) ? std::string()
                                            : fmt::format("invalid namespace \"{}\": expected {}",
                                                          text, renderer::kDnsLabelGrammar);
}

std::string check_server(std::string& text) {
    auto url = server_url(text);
    if (!url) {
        return fmt::format("invalid server \"{}\": expected {}", text, kServerForm);
    }
    text = std::move(*url);
    return {};
}

std::string check_patience(const std::string& text) {
    int seconds = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seconds);
    const bool is_good =
        error == std::errc() && stop == end && seconds >= 1 && seconds <= kLongestPatience;
    return is_good ? std::string()
                   : fmt::format("invalid timeout \"{}\": expected whole seconds from 1 to {}",
                                 text, kLongestPatience);
}

void add_common(CLI::App& verb, VerbFlags& flags) {
    auto* kubeconfig =
        verb.add_option("--kubeconfig", flags.access.kubeconfig, "how to reach the cluster")
            ->type_name("FILE");
    auto* context = verb.add_option("--context", flags.access.context, "context of the kubeconfig")
                        ->type_name("NAME");
    verb.add_option("--server", flags.access.server,
                    "API server without credentials, such as `kubectl proxy`")
        ->type_name("URL")
        ->transform(CLI::Validator(check_server, ""))
        ->excludes(kubeconfig)
        ->excludes(context);
    verb.add_option("-n,--namespace", flags.ns,
                    "namespace of the operator and its proxies (default tailscale)")
        ->type_name("NAME")
        ->check(check_namespace);
}

void add_roles(CLI::App& app) {
    app.add_subcommand(
           "controller",
           "give rendered proxies their auth keys, and remove the devices of deleted ones")
        ->footer(
            "Runs in the Deployment that `tailrender install` renders; its settings are its "
            "environment.");
    app.add_subcommand("nameserver", "answer for ts.net inside the cluster")
        ->footer(
            "Runs in the Deployment that a DNSConfig becomes, on port 1053 (UDP and TCP), from "
            "records.json in /config or\n$RECORDS_DIR.");
}

void add_adopt(CLI::App& app, VerbFlags& flags) {
    CLI::App& verb = *app.add_subcommand(
        "adopt", "move the operator's proxies to rendered ones, with their devices");
    add_common(verb, flags);
    auto* dry_run = verb.add_flag("--dry-run", flags.adopt.dry_run, "show what would move");
    auto* partial = verb.add_flag("--partial", flags.adopt.partial,
                                  "skip what cannot be moved, and move the rest");
    auto* roll_back = verb.add_flag("--rollback", flags.roll_back,
                                    "give everything back to the operator, and start it");
    auto* finish = verb.add_flag("--finish", flags.finish,
                                 "remove the records, after which rollback is no longer possible");
    roll_back->excludes(dry_run)->excludes(partial)->excludes(finish);
    finish->excludes(dry_run)->excludes(partial);
    verb.add_option("--patience", flags.patience,
                    "how long a pod may take to stop or to start (default 300)")
        ->type_name("SECONDS")
        ->check(check_patience);
}

void add_cleanup(CLI::App& app, VerbFlags& flags) {
    CLI::App& verb = *app.add_subcommand(
        "cleanup", "remove what the controller has created, before an uninstall");
    add_common(verb, flags);
    verb.add_flag("--yes", flags.cleanup.yes, "remove it; without --yes it is only shown");
    verb.add_flag("--force", flags.cleanup.force,
                  "even if pods of proxies, or the controller, are still running");
    verb.add_flag("--acme-accounts", flags.cleanup.acme_accounts,
                  "also the Secret with the private keys of accounts at the ACME server");
    verb.add_option("--login-server", flags.cleanup.login_server,
                    "login server of the controller (default $OPERATOR_LOGIN_SERVER, or else that "
                    "of its Deployment)")
        ->type_name("URL")
        ->transform(CLI::Validator(check_server, ""));
    verb.footer(
        "Credentials are from the environment, as for the controller (CLIENT_ID_FILE and "
        "CLIENT_SECRET_FILE,\nor CLIENT_ID), or else from the Secret that its Deployment mounts "
        "(operator-oauth).");
}

void add_status(CLI::App& app, VerbFlags& flags) {
    CLI::App& verb = *app.add_subcommand(
        "status", "show whether the controller is running, and the devices of the proxies");
    add_common(verb, flags);
    verb.add_option_function<std::string>(
            "-o,--output",
            [&flags](const std::string& form) {
                flags.form = form == "json"   ? StatusForm::Json
                             : form == "wide" ? StatusForm::Wide
                                              : StatusForm::Table;
            },
            "table (default), wide for more columns, or json")
        ->type_name("table|wide|json")
        ->check([](const std::string& form) {
            return form == "table" || form == "wide" || form == "json"
                       ? std::string()
                       : fmt::format("invalid output format \"{}\": expected table, wide or json",
                                     form);
        });
    verb.footer(std::string(kStatusHelp));
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* verb = chosen_verb(app);
    const std::vector<std::string> unknown = app.remaining(true);
    std::string message = verb == nullptr ? "a role or a verb is required" : error.what();
    std::string hint = fmt::format("run \"tailrender-runtime{} --help\"",
                                   verb == nullptr ? "" : " " + verb->get_name());
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!unknown.empty() && (is_extra || verb == nullptr)) {
        const std::string& word = unknown.front();
        const bool is_flag = word.starts_with('-');
        message = fmt::format("unknown {} \"{}\"",
                              is_flag           ? "flag"
                              : verb == nullptr ? "verb"
                                                : "argument",
                              word);
        const std::string near = renderer::nearest_word(app, verb, word);
        hint = near.empty() ? hint : fmt::format("did you mean \"{}\"?", near);
    }
    return fmt::format("tailrender-runtime: error: {} [usage]\n  hint: {}\n",
                       message.substr(0, message.find('\n')), hint);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    VerbFlags flags;
    CLI::App app("", "tailrender-runtime");
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string(kVersion));
    add_roles(app);
    add_adopt(app, flags);
    add_cleanup(app, flags);
    add_status(app, flags);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 handles --help and --version even beside unknown words.
        const bool is_unknown_verb = chosen_verb(app) == nullptr && app.remaining_size() > 0;
        if (error.get_exit_code() != 0 || is_unknown_verb) {
            line.exit_code = 2;
            line.err = usage_error(app, error);
        } else if (error.get_name() == "CallForVersion") {
            line.out = kVersion;
        } else {
            line.out = chosen_verb(app) == nullptr ? std::string(kUsage) : app.help();
        }
        return line;
    }
    line.command = Command{chosen_verb(app)->get_name(), std::move(flags)};
    return line;
}

}  // namespace runtime::operate
