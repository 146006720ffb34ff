// tailrender-adopt: moves the operator's proxies to rendered ones. People run it; it never has
// credentials of the tailnet.
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "runtime/adopt/adopt.h"
#include "runtime/adopt/command_line.h"
#include "runtime/operate/cluster_run.h"

namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // called before any thread starts
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace runtime;
    const adopt::AdoptLine line = adopt::parse_adopt_line(argc, argv);
    if (line.answer) {
        return operate::print(*line.answer);
    }
    const adopt::AdoptCommand& command = line.command;
    return operate::run_in_cluster(
        "tailrender-adopt", command.cluster, environment,
        [&command](operate::ClusterRun& run, const Next& done) {
            run.context.patience = std::chrono::seconds(command.patience);
            if (command.roll_back) {
                return adopt::roll_back(run.context, done);
            }
            command.finish ? adopt::finish(run.context, done)
                           : adopt::adopt(run.context, command.options, done);
        });
}
