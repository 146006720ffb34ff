#include "runtime/operate/verbs.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <random>
#include <utility>

#include "renderer/base/printable.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/curl_transport.h"
#include "runtime/base/patient_transport.h"

namespace runtime::operate {

namespace {

int complain(const renderer::Diagnostic& diagnostic) {
    fmt::print(stderr, "tailrender-runtime: {}\n", renderer::as_lines(diagnostic.message));
    if (!diagnostic.hint.empty()) {
        fmt::print(stderr, "  hint: {}\n", diagnostic.hint);
    }
    return 1;
}

// Returns the controller's tailnet, with the credentials of the environment or of its Secret.
OwnTailnet own_tailnet(const OperateContext& context, const controller::Environment& environment) {
    return [&kube = context.kube, ns = context.ns, environment](
               const std::string& login_server,
               const std::string& oauth_secret) -> renderer::Result<tailnet::TailnetSettings> {
        tailnet::TailnetSettings tailnet = TRY(controller::tailnet_at(login_server, environment));
        const auto named = controller::read_credentials(environment);
        tailnet.credentials =
            named ? *named : controller::credentials_of_secret(kube, ns, oauth_secret);
        return tailnet;
    };
}

struct Process {
    AsioLoop loop;
    CurlTransport transport{loop, "tailrender-runtime/" TAILRENDER_VERSION};
    Log log{Log::Form::Text, LogLevel::Warning};
    RandomSource random{std::random_device{}()};
    std::unique_ptr<Cleanup> cleanup;
    bool shows_trouble = false;  // the output shows that something is wrong
};

void begin_verb(const Command& command, const controller::Environment& environment,
                const OperateContext& context, Process& process, const Next& done) {
    const VerbFlags& flags = command.flags;
    if (command.name == "status") {
        return show_status(context, flags.form,
                           [&process, done](const std::string& problem, bool controller_runs) {
                               process.shows_trouble = !controller_runs;
                               done(problem);
                           });
    }
    if (command.name == "cleanup") {
        CleanupOptions options = flags.cleanup;
        if (options.login_server.empty()) {
            options.login_server = environment("OPERATOR_LOGIN_SERVER").value_or("");
        }
        process.cleanup =
            std::make_unique<Cleanup>(context, process.transport, process.log, process.random,
                                      std::move(options), own_tailnet(context, environment));
        return process.cleanup->start(done);
    }
    if (flags.roll_back) {
        return roll_back(context, done);
    }
    flags.finish ? finish(context, done) : adopt(context, flags.adopt, done);
}

}  // namespace

int run_verb(const Command& command, const controller::Environment& environment) {
    const VerbFlags& flags = command.flags;
    auto access = find_access(flags.access, environment);
    if (!access) {
        return complain(access.error().diagnostic);
    }
    Process process;
    PatientTransport patient(process.loop, process.transport);
    kube::Client kube(patient, *access);
    const OperateContext context{process.loop, kube, flags.ns,
                                 [](const std::string& line) {
                                     // The line may contain text that pods and tenants have
                                     // written.
                                     fmt::print("{}{}", renderer::as_lines(line),
                                                line.ends_with('\n') ? "" : "\n");
                                     static_cast<void>(std::fflush(stdout));
                                 },
                                 std::chrono::seconds(flags.patience)};
    int code = 1;
    const Next done = [&process, &code, &command](const std::string& problem) {
        if (!problem.empty()) {
            fmt::print(stderr, "tailrender-runtime {}: {}\n", command.name,
                       renderer::as_lines(problem));
        }
        code = problem.empty() && !process.shows_trouble ? 0 : 1;
        process.loop.stop();
    };
    process.loop.after(Duration(0),
                       [&] { begin_verb(command, environment, context, process, done); });
    process.loop.run();
    return code;
}

}  // namespace runtime::operate
