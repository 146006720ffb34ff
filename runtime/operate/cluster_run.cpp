#include "runtime/operate/cluster_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "renderer/base/printable.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/curl_transport.h"
#include "runtime/base/patient_transport.h"

namespace runtime::operate {

namespace {

int complain(const std::string& program, const renderer::Diagnostic& diagnostic) {
    fmt::print(stderr, "{}: {}\n", program, renderer::as_lines(diagnostic.message));
    if (!diagnostic.hint.empty()) {
        fmt::print(stderr, "  hint: {}\n", diagnostic.hint);
    }
    return 1;
}

// The line may contain text that pods and tenants have written.
void say(const std::string& line) {
    fmt::print("{}{}", renderer::as_lines(line), line.ends_with('\n') ? "" : "\n");
    static_cast<void>(std::fflush(stdout));
}

}  // namespace

int run_in_cluster(const std::string& program, const ClusterFlags& flags,
                   const controller::Environment& environment,
                   const std::function<void(ClusterRun& run, const Next& done)>& begin) {
    auto access = find_access(flags.access, environment);
    if (!access) {
        return complain(program, access.error().diagnostic);
    }
    AsioLoop loop;
    CurlTransport transport(loop, program.substr(0, program.find(' ')) + "/" TAILRENDER_VERSION);
    PatientTransport patient(loop, transport);
    kube::Client kube(patient, *access);
    Log log(Log::Form::Text, LogLevel::Warning);
    RandomSource random(std::random_device{}());
    ClusterRun run{.context = {loop, kube, flags.ns, say},
                   .transport = transport,
                   .log = log,
                   .random = random};
    int code = 1;
    const Next done = [&](const std::string& problem) {
        if (!problem.empty()) {
            fmt::print(stderr, "{}: {}\n", program, renderer::as_lines(problem));
        }
        code = problem.empty() ? 0 : 1;
        loop.stop();
    };
    loop.after(Duration(0), [&] { begin(run, done); });
    loop.run();
    return code;
}

}  // namespace runtime::operate
