// tailrender-runtime ROLE: what is left to do in a cluster whose manifests are rendered.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "runtime/base/asio_loop.h"
#include "runtime/base/curl_transport.h"
#include "runtime/base/http_server.h"
#include "runtime/controller/controller.h"
#include "runtime/controller/metrics.h"
#include "runtime/controller/settings.h"
#include "runtime/kube/lease.h"

namespace {

constexpr std::string_view kUsage =
    "usage: tailrender-runtime controller\n"
    "       tailrender-runtime --help | --version\n"
    "\n"
    "controller  gives rendered proxies their auth keys and removes the devices of those that are "
    "gone;\n"
    "            runs in the Deployment that `tailrender install` renders and is set up by its "
    "environment\n";

constexpr std::uint16_t kPort = 9002;

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // before any thread
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int fail(const renderer::Diagnostic& problem) {
    fmt::print(stderr, "tailrender-runtime: {}\n", problem.message);
    if (!problem.found.empty()) {
        fmt::print(stderr, "  found: {}\n  expected: {}\n", problem.found, problem.expected);
    }
    if (!problem.hint.empty()) {
        fmt::print(stderr, "  hint: {}\n", problem.hint);
    }
    return 1;
}

int run_controller() {
    auto settings = runtime::read_settings(environment);
    if (!settings) {
        return fail(settings.error().diagnostic);
    }
    runtime::AsioLoop loop;
    runtime::Log log(settings->log_form, settings->log_level);
    runtime::Chance chance(std::random_device{}());
    runtime::CurlTransport transport(loop, "tailrender-runtime/" TAILRENDER_VERSION);
    runtime::KubeClient kube(transport, settings->kube);
    runtime::Lease lease(loop, kube, log, settings->controller.ns, "tailrender-controller",
                         settings->identity);
    runtime::Controller controller(loop, transport, kube, log, chance, settings->controller);
    runtime::HttpServer server(loop, [&](std::string_view path) -> runtime::Page {
        if (path == "/healthz" || path == "/readyz") {
            return {200, "ok\n"};
        }
        return path == "/metrics"
                   ? runtime::Page{200, runtime::metrics(controller.counts(), lease.leads())}
                   : runtime::Page{404, "not found\n"};
    });
    if (auto port = server.listen(kPort); !port) {
        return fail(port.error().diagnostic);
    }
    int code = 0;
    lease.start([&] { controller.start(); },
                [&] {
                    code = 1;  // another instance works now: nothing that was begun may go on
                    loop.stop();
                });
    loop.on_termination([&] { lease.release([&] { loop.stop(); }); });
    loop.run();
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view role = argc == 2 ? argv[1] : "";
    if (role == "--version") {
        fmt::print("tailrender-runtime " TAILRENDER_VERSION "\n");
        return 0;
    }
    if (role == "--help") {
        fmt::print("{}", kUsage);
        return 0;
    }
    if (role == "controller") {
        return run_controller();
    }
    fmt::print(stderr, "{}", kUsage);
    return 2;
}
