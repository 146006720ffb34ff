#include "runtime/operate/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "renderer/core/known_words.h"
#include "runtime/operate/arguments.h"

namespace runtime::operate {

using renderer::chosen_verb;

namespace {

constexpr std::string_view kUsage =
    "usage: tailrender-runtime controller | nameserver\n"
    "       tailrender-runtime cleanup | status [OPTIONS]\n"
    "       tailrender-runtime [ROLE] --help | --version\n"
    "\n"
    "controller  gives rendered proxies their auth keys and removes the devices of deleted ones;\n"
    "            runs in the Deployment that `tailrender install` renders; configured by its "
    "environment\n"
    "nameserver  answers for ts.net inside the cluster, on port 1053 (UDP and TCP), from "
    "/config/records.json,\n"
    "            which the controller writes; runs in the Deployment that a DNSConfig becomes\n"
    "cleanup     removes what the controller has created, before an uninstall; run by hand\n"
    "status      shows whether the controller is running, and the devices of the proxies; run by "
    "hand\n"
    "\n"
    "Exit codes: 0 done; 1 not done, with the reason on stderr; 2 wrong usage.\n";

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

void add_cleanup(CLI::App& app, VerbFlags& flags) {
    CLI::App& verb = *app.add_subcommand(
        "cleanup", "remove what the controller has created, before an uninstall");
    add_cluster_flags(verb, flags.cluster);
    verb.add_flag("--yes", flags.cleanup.yes, "remove it; without --yes it is only shown");
    verb.add_flag("--force", flags.cleanup.force,
                  "even if pods of proxies, or the controller, are still running");
    verb.add_flag("--acme-accounts", flags.cleanup.acme_accounts,
                  "also the Secret with the private keys of accounts at the ACME server");
    verb.add_option("--login-server", flags.cleanup.login_server,
                    "login server of the controller (default $OPERATOR_LOGIN_SERVER, or else that "
                    "of its Deployment)")
        ->type_name("URL")
        ->transform(CLI::Validator(check_server_url, ""));
    verb.footer(
        "Credentials are from the environment, as for the controller (CLIENT_ID_FILE and "
        "CLIENT_SECRET_FILE,\nor CLIENT_ID), or else from the Secret that its Deployment mounts "
        "(operator-oauth).");
}

void add_status(CLI::App& app, VerbFlags& flags) {
    CLI::App& verb = *app.add_subcommand(
        "status", "show whether the controller is running, and the devices of the proxies");
    add_cluster_flags(verb, flags.cluster);
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

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    VerbFlags flags;
    CLI::App app("", "tailrender-runtime");
    app.require_subcommand(1);
    add_roles(app);
    add_cleanup(app, flags);
    add_status(app, flags);
    if (auto answer = parse_arguments(app, argc, argv, kUsage)) {
        return {.answer = std::move(answer)};
    }
    return {.command = {chosen_verb(app)->get_name(), std::move(flags)}};
}

}  // namespace runtime::operate
