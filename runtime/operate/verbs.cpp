#include "runtime/operate/verbs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "runtime/base/asio_loop.h"
#include "runtime/base/curl_transport.h"
#include "runtime/operate/access.h"
#include "runtime/operate/adopt.h"
#include "runtime/operate/cleanup.h"
#include "runtime/operate/status.h"

namespace runtime {

namespace {

struct Flags {
    AccessFlags access;
    std::string ns = "tailscale";
    int patience = 300;
    AdoptWish adopt;
    bool roll_back = false;
    bool finish = false;
    CleanupWish cleanup;
    std::string form = "table";
};

void add_common(CLI::App& verb, Flags& flags) {
    verb.add_option("--kubeconfig", flags.access.kubeconfig, "how to reach the cluster")
        ->type_name("FILE");
    verb.add_option("--context", flags.access.context, "context of the kubeconfig")
        ->type_name("NAME");
    verb.add_option("--server", flags.access.server,
                    "API server without credentials, such as `kubectl proxy`")
        ->type_name("URL");
    verb.add_option("-n,--namespace", flags.ns,
                    "namespace of the operator and its proxies (default tailscale)")
        ->type_name("NAME");
}

void add_adopt(CLI::App& app, Flags& flags) {
    CLI::App& verb = *app.add_subcommand(
        "adopt", "move the operator's proxies to rendered ones, with their devices");
    add_common(verb, flags);
    auto* dry_run = verb.add_flag("--dry-run", flags.adopt.dry_run, "show what would move");
    auto* partial = verb.add_flag("--partial", flags.adopt.partial,
                                  "leave alone what cannot be moved, and move the rest");
    auto* roll_back = verb.add_flag("--rollback", flags.roll_back,
                                    "give everything back to the operator, and start it");
    auto* finish =
        verb.add_flag("--finish", flags.finish, "forget how to go back: removes the records");
    roll_back->excludes(dry_run)->excludes(partial)->excludes(finish);
    finish->excludes(dry_run)->excludes(partial);
    verb.add_option("--patience", flags.patience,
                    "how long one pod may take to end or to come back (default 300)")
        ->type_name("SECONDS")
        ->check(CLI::PositiveNumber.description(""));
}

void add_cleanup(CLI::App& app, Flags& flags) {
    CLI::App& verb =
        *app.add_subcommand("cleanup", "remove what the controller has made, before an uninstall");
    add_common(verb, flags);
    verb.add_flag("--yes", flags.cleanup.yes, "do it; without, it is only shown");
    verb.add_flag("--force", flags.cleanup.force, "although proxies or the controller still run");
    verb.add_option("--login-server", flags.cleanup.login_server,
                    "the controller's; default is $OPERATOR_LOGIN_SERVER, or else what Deployment "
                    "operator says")
        ->type_name("URL");
    verb.footer(
        "Credentials are those of the environment, as the controller's (CLIENT_ID_FILE and "
        "CLIENT_SECRET_FILE,\nor CLIENT_ID), or else those in Secret operator-oauth.");
}

void add_status(CLI::App& app, Flags& flags) {
    CLI::App& verb = *app.add_subcommand("status", "show the devices of the proxies");
    add_common(verb, flags);
    verb.add_option("-o,--output", flags.form, "table (default) or json")
        ->check(CLI::IsMember({"table", "json"}).description(""))
        ->type_name("table|json");
}

int complain(const renderer::Diagnostic& diagnostic) {
    fmt::print(stderr, "tailrender-runtime: {}\n", diagnostic.message);
    if (!diagnostic.hint.empty()) {
        fmt::print(stderr, "  hint: {}\n", diagnostic.hint);
    }
    return 1;
}

// The controller's tailnet, with the credentials that it has or had.
OwnTailnet own_tailnet(const OperateContext& context, const Environment& environment) {
    return [&kube = context.kube, ns = context.ns, environment](const std::string& login_server) {
        TailnetSettings tailnet = tailnet_at(login_server, environment);
        const auto named = read_credentials(environment);
        tailnet.credentials = named ? *named : credentials_of_secret(kube, ns, "operator-oauth");
        return tailnet;
    };
}

struct Process {
    AsioLoop loop;
    CurlTransport transport{loop, "tailrender-runtime/" TAILRENDER_VERSION};
    Log log{Log::Form::Text, LogLevel::Warning};
    Chance chance{std::random_device{}()};
    std::unique_ptr<Cleanup> cleanup;
};

void begin(const std::string& verb, const Flags& flags, const Environment& environment,
           const OperateContext& context, Process& process, const Next& done) {
    if (verb == "status") {
        return show_status(context, flags.form == "json" ? StatusForm::Json : StatusForm::Table,
                           done);
    }
    if (verb == "cleanup") {
        CleanupWish wish = flags.cleanup;
        if (wish.login_server.empty()) {
            wish.login_server = environment("OPERATOR_LOGIN_SERVER").value_or("");
        }
        process.cleanup =
            std::make_unique<Cleanup>(context, process.transport, process.log, process.chance,
                                      std::move(wish), own_tailnet(context, environment));
        return process.cleanup->start(done);
    }
    if (flags.roll_back) {
        return roll_back(context, done);
    }
    flags.finish ? finish(context, done) : adopt(context, flags.adopt, done);
}

int run(const std::string& verb, const Flags& flags, const Environment& environment) {
    auto access = find_access(flags.access, environment);
    if (!access) {
        return complain(access.error().diagnostic);
    }
    Process process;
    KubeClient kube(process.transport, *access);
    const OperateContext context{process.loop, kube, flags.ns,
                                 [](const std::string& line) {
                                     fmt::print("{}{}", line, line.ends_with('\n') ? "" : "\n");
                                     static_cast<void>(std::fflush(stdout));
                                 },
                                 std::chrono::seconds(flags.patience)};
    int code = 1;
    const Next done = [&process, &code, &verb](const std::string& problem) {
        if (!problem.empty()) {
            fmt::print(stderr, "tailrender-runtime {}: {}\n", verb, problem);
        }
        code = problem.empty() ? 0 : 1;
        process.loop.stop();
    };
    process.loop.after(Duration(0),
                       [&] { begin(verb, flags, environment, context, process, done); });
    process.loop.run();
    return code;
}

}  // namespace

bool is_verb(std::string_view word) {
    return word == "adopt" || word == "cleanup" || word == "status";
}

int run_verb(int argc, char** argv, const Environment& environment) {
    Flags flags;
    CLI::App app("what people do with a cluster that has proxies", "tailrender-runtime");
    app.require_subcommand(1);
    add_adopt(app, flags);
    add_cleanup(app, flags);
    add_status(app, flags);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool is_help = error.get_exit_code() == 0;
        app.exit(error);
        return is_help ? 0 : 2;
    }
    return run(app.get_subcommands().front()->get_name(), flags, environment);
}

}  // namespace runtime
