// tailrender-runtime ROLE: does in a cluster what cannot be done when its manifests are rendered.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "renderer/contract/controller_objects.h"
#include "renderer/contract/ports.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/asio_resolver.h"
#include "runtime/base/curl_transport.h"
#include "runtime/base/http_server.h"
#include "runtime/base/patient_transport.h"
#include "runtime/controller/controller.h"
#include "runtime/controller/controller_metrics.h"
#include "runtime/controller/settings.h"
#include "runtime/kube/lease.h"
#include "runtime/nameserver/nameserver.h"
#include "runtime/operate/command_line.h"
#include "runtime/operate/verbs.h"

namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // called before any thread starts
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

constexpr const char* kUserAgent = "tailrender-runtime/" TAILRENDER_VERSION;

// In bytes. Replies and tables of this size are allocated apart from small objects, and go back to
// the kernel as soon as they are freed.
constexpr int kLongText = 32 * 1024;

// Returns freed memory to the kernel. The texts that lists were decoded from leave gaps between
// live objects, which the allocator would keep.
void give_back_memory(runtime::Loop& loop) {
    malloc_trim(0);
    loop.after(std::chrono::seconds(2), [&loop] { give_back_memory(loop); });
}

constexpr runtime::Duration kLeasePatience = std::chrono::seconds(5);  // for one request

// Releases the lease, so that the next leader begins at once. It has its own loop, on which nothing
// else runs.
void give_back(runtime::kube::Lease& lease, const runtime::kube::KubeAccess& access) {
    runtime::AsioLoop loop;
    runtime::CurlTransport transport(loop, kUserAgent);
    runtime::kube::Client kube(transport, access);
    loop.after(std::chrono::seconds(2), [&] { loop.stop(); });
    lease.release(kube, [&] { loop.stop(); });
    loop.run();
}

int run_controller() {
    auto settings = runtime::controller::read_settings(environment);
    if (!settings) {
        return fail(settings.error().diagnostic);
    }
    mallopt(M_MMAP_THRESHOLD, kLongText);
    runtime::AsioLoop loop;
    runtime::Log log(settings->log_form, settings->log_level);
    if (!settings->unknown_logging.empty()) {
        log.warning("invalid OPERATOR_LOGGING (want info, debug, dev); using info",
                    {{"found", settings->unknown_logging}});
    }
    runtime::RandomSource random(std::random_device{}());
    runtime::CurlTransport curl(loop, kUserAgent);
    runtime::MeteredTransport transport(loop, curl, settings->kube.server);
    runtime::PatientTransport patient(loop, transport);
    runtime::kube::Client kube(patient, settings->kube);
    // Requests for the lease do not wait when a busy server asks for it, and time out soon.
    runtime::kube::Client lease_kube(transport, settings->kube, kLeasePatience);
    runtime::kube::Lease lease(loop, lease_kube, log, settings->controller.ns,
                               std::string(renderer::kLeaseName), settings->identity);
    runtime::AsioResolver resolver(loop);
    runtime::controller::Controller controller(loop, transport, resolver, kube, log, random,
                                               settings->controller);
    runtime::HttpServer server(loop, [&](std::string_view path) -> runtime::Page {
        if (path == "/healthz") {
            return {200, "ok\n"};
        }
        if (path == "/readyz") {
            return !lease.leads() || controller.is_ready()
                       ? runtime::Page{200, "ok\n"}
                       : runtime::Page{503, "still reading the cluster\n"};
        }
        return path == "/metrics"
                   ? runtime::Page{200, runtime::controller::metrics(controller.counts(),
                                                                     lease.leads(), transport)}
                   : runtime::Page{404, "not found\n"};
    });
    if (auto port = server.listen(renderer::port::kLocal); !port) {
        return fail(port.error().diagnostic);
    }
    int code = 0;
    lease.start([&] { controller.start(); },
                [&] {
                    code = 1;  // another instance leads now: nothing that was begun may continue
                    loop.stop();
                });
    loop.on_termination([&] { loop.stop(); });
    give_back_memory(loop);
    loop.run();
    give_back(lease, settings->kube);
    return code;
}

int run_nameserver() {
    runtime::AsioLoop loop;
    runtime::Log log(runtime::Log::Form::Json, runtime::LogLevel::Info);
    runtime::nameserver::Nameserver nameserver(loop, log,
                                               environment("RECORDS_DIR").value_or("/config"));
    if (auto port = nameserver.start(renderer::port::kNameserver); !port) {
        return fail(port.error().diagnostic);
    }
    runtime::HttpServer server(loop, [&](std::string_view path) -> runtime::Page {
        if (path == "/healthz") {
            return {200, "ok\n"};
        }
        if (path == "/readyz") {
            return nameserver.is_ready() ? runtime::Page{200, "ok\n"}
                                         : runtime::Page{503, "no records\n"};
        }
        return path == "/metrics" ? runtime::Page{200, nameserver.metrics()}
                                  : runtime::Page{404, "not found\n"};
    });
    if (auto port = server.listen(renderer::port::kLocal); !port) {
        return fail(port.error().diagnostic);
    }
    loop.on_termination([&] { loop.stop(); });
    loop.run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const runtime::operate::CommandLine line = runtime::operate::parse_command_line(argc, argv);
    if (line.answer) {
        return runtime::operate::print(*line.answer);
    }
    if (line.command.name == "controller") {
        return run_controller();
    }
    if (line.command.name == "nameserver") {
        return run_nameserver();
    }
    return runtime::operate::run_verb(line.command, environment);
}
