#include "runtime/api_proxy/run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>

#include "renderer/contract/environment.h"
#include "renderer/contract/ports.h"
#include "runtime/api_proxy/api_metrics.h"
#include "runtime/api_proxy/serve.h"
#include "runtime/api_proxy/server.h"
#include "runtime/api_proxy/socket_owner.h"
#include "runtime/api_proxy/unrecorded.h"
#include "runtime/base/asio_resolver.h"
#include "runtime/base/http_server.h"
#include "runtime/base/socket_transport.h"
#include "runtime/localapi/withdrawal.h"

namespace runtime::api_proxy {

namespace {

// In userspace mode, tailscaled forwards connections to any port of its device to this address,
// under its own user and without a PROXY header (tailscale v1.96.5 wgengine/netstack/netstack.go).
const IpAddress kForPeers = IpAddress::parse("127.0.0.1").value();
constexpr std::string_view kService = "svc:";
// The time for tailscaled to withdraw its Service, and for clients to move to other pods.
constexpr Duration kWithdrawal = std::chrono::seconds(25);
constexpr std::string_view kAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

renderer::Error invalid(const char* name, std::string_view found, std::string_view wanted) {
    return {{.rule = "invalid-environment",
             .where = name,
             .message = fmt::format("invalid {} \"{}\" (want {})", name, found, wanted)}};
}

renderer::Result<AddressPort> address_from(const Environment& environment, const char* name,
                                           std::string_view otherwise) {
    const std::string text = environment(name).value_or(std::string(otherwise));
    const auto address = AddressPort::parse(text);
    return address ? renderer::Result<AddressPort>(*address)
                   : invalid(name, text, "an address and a port");
}

renderer::Result<int> number_of(const Environment& environment, const char* name, int otherwise,
                                int most) {
    const auto text = environment(name);
    int number = otherwise;
    if (text) {
        const char* end = text->data() + text->size();
        const auto [at, problem] = std::from_chars(text->data(), end, number);
        if (problem != std::errc() || at != end || number < 0 || number > most) {
            return invalid(name, *text, fmt::format("a number up to {}", most));
        }
    }
    return number;
}

// Allows as many descriptors as the system does. A connection needs two.
void raise_descriptor_limit() {
    rlimit limit = {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
    }
}

Page page_of(std::string_view path, const Serve& serve, const Shared& shared,
             std::size_t connections) {
    if (path == "/healthz") {
        return {200, "ok\n"};
    }
    if (path == "/readyz") {
        return serve.problem().empty() ? Page{200, "ok\n"} : Page{503, serve.problem() + "\n"};
    }
    if (path == "/metrics") {
        return {200, metrics(shared.counters, connections)};
    }
    return {404, "not found\n"};
}

}  // namespace

renderer::Result<Settings> read_settings(const Environment& environment) {
    const std::string mode = environment("APISERVER_PROXY").value_or("");
    if (mode != "true" && mode != "noauth") {
        return invalid("APISERVER_PROXY", mode, "true or noauth");
    }
    constexpr int kMostPort = 65535;
    constexpr int kMostGrace = 3600;
    const std::string account =
        environment(renderer::variable::kTestRoot.data()).value_or("").append(kAccount);
    const AddressPort at = TRY(address_from(environment, renderer::variable::kApiListen.data(),
                                            renderer::port::kApiProxyAddress));
    const AddressPort local = TRY(address_from(
        environment, renderer::variable::kLocalAddress.data(), renderer::port::kAnyLocalAddress));
    Settings out{
        .api_server =
            {.host = environment("KUBERNETES_SERVICE_HOST").value_or("kubernetes.default.svc"),
             .ca_file = account + "/ca.crt",
             .token_file = mode == "noauth" ? "" : account + "/token"},
        .socket = environment(renderer::variable::kSocket.data()).value_or("/tmp/tailscaled.sock"),
        .listen = at,
        .local = local};
    const IpAddress& listen = out.listen.address;
    if (listen.is_v6() || !listen.is_loopback() || listen == kForPeers) {
        return invalid(renderer::variable::kApiListen.data(), listen.text(),
                       "127.0.0.2 or another address of IPv4 loopback but 127.0.0.1, where "
                       "tailscaled in user space connects for any device of the tailnet");
    }
    out.service = environment(renderer::variable::kApiService.data()).value_or("");
    if (!out.service.empty() && (!out.service.starts_with(kService) || out.service == kService)) {
        return invalid(renderer::variable::kApiService.data(), out.service, "svc:NAME");
    }
    const std::string unrecorded =
        environment(renderer::variable::kApiUnrecorded.data()).value_or("");
    auto names = read_unrecorded_names(unrecorded);
    if (!names) {
        return invalid(renderer::variable::kApiUnrecorded.data(), unrecorded,
                       "RESOURCE/SUBRESOURCE, such as nodes/proxy, joined with \",\"");
    }
    out.unrecorded = std::move(*names);
    out.api_server.port = static_cast<std::uint16_t>(
        TRY(number_of(environment, "KUBERNETES_SERVICE_PORT", 443, kMostPort)));
    out.grace = std::chrono::seconds(
        TRY(number_of(environment, renderer::variable::kApiGrace.data(), 25, kMostGrace)));
    return out;
}

int run(const Environment& environment) {
    Log log(Log::Form::Json, LogLevel::Info);
    auto settings = read_settings(environment);
    if (!settings) {
        log.error(settings.error().diagnostic.message);
        return 1;
    }
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));  // OpenSSL writes with write()
    raise_descriptor_limit();
    AsioLoop loop;
    AsioResolver resolver(loop);
    SocketTransport local(loop, settings->socket);
    localapi::LocalApi api(local);
    Callers callers(loop, api);
    Upstream upstream(loop, resolver, settings->api_server);
    Shared shared{.loop = loop,
                  .log = log,
                  .callers = callers,
                  .upstream = upstream,
                  .socket = settings->socket,
                  .unrecorded = settings->unrecorded};
    Server* sessions = nullptr;
    Serve serve(
        loop, log, api, [&] { return owner_of_listener(settings->socket); }, settings->listen,
        settings->service,
        [&] { sessions->end_all("the Serve configuration of tailscaled has changed"); });
    Server server(loop, shared, [&] { return serve.tailscaled(); });
    sessions = &server;
    HttpServer pages(
        loop, [&](std::string_view path) { return page_of(path, serve, shared, server.size()); });
    auto listening = server.listen(settings->listen);
    auto local_listening = pages.listen(settings->local);
    for (auto* result : {&listening, &local_listening}) {
        if (!*result) {
            log.error(result->error().diagnostic.message);
            return 1;
        }
    }
    serve.start();
    log.info(fmt::format("the API proxy listens on {}:{}", settings->listen.address.text(),
                         settings->listen.port),
             {{"mode", settings->api_server.token_file.empty() ? "noauth" : "auth"}});
    const auto stop = [&] { server.stop(settings->grace, [&] { loop.stop(); }); };
    localapi::Withdrawal withdrawal(loop, api, log, stop);
    loop.on_termination([&] {
        serve.end([&] { settings->service.empty() ? stop() : withdrawal.start(kWithdrawal); });
    });
    loop.run();
    return 0;
}

}  // namespace runtime::api_proxy
