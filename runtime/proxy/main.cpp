// tailrender-proxy: the first process of a proxy pod. It starts tailscaled and does what
// containerboot does, with the same environment, files, Secret and HTTP endpoints.
//   tailrender-proxy          runs the proxy
//   tailrender-proxy ready    exits with 0 if the proxy of this pod is ready: its exec probe
//   tailrender-proxy rules    prints the nftables rules of this pod
//   tailrender-proxy api      serves the Kubernetes API to the tailnet; does not start tailscaled
#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string_view>

#include "runtime/api_proxy/run.h"
#include "runtime/base/socket_transport.h"
#include "runtime/dns/cares.h"
#include "runtime/dns/schedule.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/text.h"
#include "runtime/proxy/fake_dataplane.h"
#include "runtime/proxy/proxy.h"
#include "runtime/proxy/start.h"

namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // called before any thread starts
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int fail(runtime::Log& log, const renderer::Diagnostic& problem) {
    log.error(problem.message + (problem.hint.empty() ? "" : "; " + problem.hint));
    return 1;
}

int run_proxy(runtime::Log& log) {
    auto settings = runtime::proxy::read_environment(environment);
    if (!settings) {
        return fail(log, settings.error().diagnostic);
    }
    auto config = runtime::proxy::prepare(*settings, log);
    if (!config) {
        return fail(log, config.error().diagnostic);
    }
    runtime::AsioLoop loop;
    runtime::RandomSource random(std::random_device{}());
    runtime::SocketTransport local(loop, settings->socket);
    runtime::SocketTransport network(loop);
    runtime::localapi::LocalApi api(local);
    std::unique_ptr<runtime::kube::Client> kube;
    std::string ns;
    if (!settings->kube_secret.empty()) {
        auto access = runtime::proxy::kube_access(*settings);
        if (!access) {
            return fail(log, access.error().diagnostic);
        }
        ns = access->ns;
        kube = std::make_unique<runtime::kube::Client>(network, access->kube);
    }
    std::unique_ptr<runtime::nft::Dataplane> rules;
    if (settings->forwards()) {
        auto opened = runtime::proxy::open_dataplane(*settings);
        if (!opened) {
            return fail(log, opened.error().diagnostic);
        }
        rules = std::move(*opened);
    }
    std::unique_ptr<runtime::dns::Lookup> lookup;
    if (!settings->dest_dns_name.empty()) {
        auto opened = runtime::dns::open_cares(
            loop, {.cluster_domain =
                       std::string(runtime::dns::cluster_domain_of(settings->dest_dns_name))});
        if (!opened) {
            return fail(log, opened.error().diagnostic);
        }
        lookup = std::move(*opened);
    }
    const bool has_v6 =
        settings->fake_netfilter ? settings->fake_netfilter_v6 : runtime::nft::has_ipv6("");
    runtime::proxy::Proxy proxy({.loop = loop,
                                 .log = log,
                                 .random = random,
                                 .api = api,
                                 .network = network,
                                 .kube = kube.get(),
                                 .ns = ns,
                                 .rules = rules.get(),
                                 .lookup = lookup.get(),
                                 .has_v6 = has_v6},
                                *settings, config->path, config->content);
    int code = 0;
    loop.on_termination([&] { proxy.end(); });
    proxy.start([&](int its_code) {
        code = its_code;
        loop.stop();
    });
    loop.run();
    return code;
}

int print_rules() {
    auto tables = runtime::nft::read_all_tables();
    if (!tables) {
        fmt::print(stderr, "tailrender-proxy: {}\n", tables.error().diagnostic.message);
        return 1;
    }
    for (const runtime::nft::Ruleset& table : *tables) {
        fmt::print("{}", runtime::nft::dump(table));
    }
    return 0;
}

int run(std::string_view command) {
    if (command == "rules") {
        return print_rules();
    }
    if (command == "ready") {
        return runtime::proxy::ask_ready(environment);
    }
    if (command == "api") {
        return runtime::api_proxy::run(environment);
    }
    // Large texts are short-lived: their memory goes back to the kernel at once.
    mallopt(M_MMAP_THRESHOLD, 64 * 1024);
    runtime::Log log(runtime::Log::Form::Boot, runtime::LogLevel::Info);
    return run_proxy(log);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (argc > 2 || (argc == 2 && command != "ready" && command != "rules" && command != "api")) {
        std::fputs("usage: tailrender-proxy [ready | rules | api]\n", stderr);
        return 2;
    }
    try {
        return run(command);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tailrender-proxy: %s\n", error.what());
        return 1;
    }
}
