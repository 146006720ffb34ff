#include "runtime/operate/verbs.h"

#include <memory>
#include <utility>

#include "runtime/operate/cluster_run.h"

namespace runtime::operate {

namespace {

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

}  // namespace

int run_verb(const Command& command, const controller::Environment& environment) {
    const VerbFlags& flags = command.flags;
    const std::string program = "tailrender-runtime " + command.name;
    if (command.name == "status") {
        bool shows_trouble = false;
        const int code = run_in_cluster(
            program, flags.cluster, environment, [&](ClusterRun& run, const Next& done) {
                show_status(
                    run.context, flags.form,
                    [&shows_trouble, done](const std::string& problem, bool controller_runs) {
                        shows_trouble = !controller_runs;
                        done(problem);
                    });
            });
        return shows_trouble ? 1 : code;
    }
    CleanupOptions options = flags.cleanup;
    if (options.login_server.empty()) {
        options.login_server = environment("OPERATOR_LOGIN_SERVER").value_or("");
    }
    return run_in_cluster(
        program, flags.cluster, environment, [&](ClusterRun& run, const Next& done) {
            const auto cleanup = std::make_shared<Cleanup>(run.context, run.transport, run.log,
                                                           run.random, std::move(options),
                                                           own_tailnet(run.context, environment));
            run.work = cleanup;
            cleanup->start(done);
        });
}

}  // namespace runtime::operate
