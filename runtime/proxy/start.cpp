#include "runtime/proxy/start.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "renderer/contract/environment.h"
#include "runtime/base/file.h"
#include "runtime/base/socket_transport.h"
#include "runtime/nft/ip_forwarding.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/socket_programs.h"
#include "runtime/proxy/endpoints.h"
#include "runtime/proxy/fake_dataplane.h"
#include "runtime/proxy/forwarding.h"

namespace runtime::proxy {

namespace {

constexpr std::string_view kAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

renderer::Error start_failure(std::string message) {
    return {{.rule = "cannot-start", .message = std::move(message)}};
}

renderer::Result<renderer::Unit> ensure_tun(const Environment& environment) {
    const std::string folder = environment.at_root("/dev/net");
    const std::string device = folder + "/tun";
    struct stat found {};
    if (stat(device.c_str(), &found) == 0) {
        return renderer::Unit{};
    }
    if ((mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) ||
        mknod(device.c_str(), 0600 | S_IFCHR, makedev(10, 200)) != 0) {
        return start_failure(fmt::format("unable to create tuntap device file: {}: {}", device,
                                         std::strerror(errno)));
    }
    return renderer::Unit{};
}

renderer::Result<renderer::Unit> ensure_forwarding(const Environment& environment, Log& log) {
    const nft::Families families = TRY(needed_families(environment));
    const bool is_asked_for = families.v4 || families.v6;
    if (!is_asked_for) {
        return renderer::Unit{};
    }
    auto enabled = nft::enable_forwarding(environment.at_root(""), families);
    if (!enabled) {
        log.error("Failed to enable IP forwarding: " + enabled.error().diagnostic.message);
        log.error(
            "To run tailscale as a proxy or router container, IP forwarding must be enabled.");
        return start_failure(
            environment.in_kubernetes
                ? "you can either set the sysctls as a privileged initContainer, or run "
                  "the tailscale container with privileged=true."
                : "you can fix this by running the container with privileged=true, or "
                  "the equivalent in your container runtime that permits access to "
                  "sysctls.");
    }
    return renderer::Unit{};
}

// Warns about BPF programs that balance connections to Services at the socket: packets that this
// pod forwards bypass them. Does not warn if the process may not list the programs.
void look_for_socket_programs(const Environment& environment, Log& log) {
    const bool leads_to_services = !environment.dest_ip.empty() ||
                                   !environment.dest_dns_name.empty() ||
                                   !environment.ingress_config.empty();
    const auto programs = leads_to_services && !environment.fake_netfilter
                              ? nft::connect_programs(nft::own_cgroup())
                              : renderer::Result(std::vector<std::string>());
    if (programs && !programs->empty()) {
        log.warning(nft::warning_of(*programs));
    }
}

}  // namespace

renderer::Result<ChosenConfig> prepare(const Environment& environment, Log& log) {
    ChosenConfig out;
    if (environment.is_one_step()) {
        out.path = TRY(choose_config_file(environment.config_dir));
        log.info(fmt::format(
            "Using tailscaled config file \"{}\" to match current capability version {}", out.path,
            kCapabilityVersion));
        auto content = read_config_file(out.path);
        if (!content) {
            return start_failure(
                "invalid configuration: invalid configuration: error validating tailscaled "
                "configfile contents: " +
                content.error().diagnostic.message);
        }
        out.content = std::move(*content);
    }
    if (!environment.userspace) {
        look_for_socket_programs(environment, log);
        TRY(ensure_tun(environment));
        TRY(ensure_forwarding(environment, log));
    }
    return out;
}

renderer::Result<InClusterAccess> kube_access(const Environment& environment) {
    const std::string folder = environment.at_root(kAccount);
    auto ns = read_trimmed(folder + "/namespace");
    if (!ns) {
        return start_failure("error initializing kube client: " + ns.error().diagnostic.message);
    }
    const std::string& host = environment.kube_host;
    const bool is_v6 = host.find(':') != std::string::npos;
    const std::string server = host.empty()
                                   ? "https://kubernetes.default.svc"
                                   : fmt::format("https://{}{}{}:{}", is_v6 ? "[" : "", host,
                                                 is_v6 ? "]" : "", environment.kube_port);
    return InClusterAccess{
        {.server = server, .ca_file = folder + "/ca.crt", .token_file = folder + "/token"}, *ns};
}

renderer::Result<std::unique_ptr<nft::Dataplane>> open_dataplane(const Environment& environment) {
    if (environment.fake_netfilter) {
        return std::unique_ptr<nft::Dataplane>(std::make_unique<FakeDataplane>());
    }
    return nft::open_kernel();
}

int ask_ready(const EnvironmentLookup& lookup) {
    Environment environment;
    environment.socket = lookup(renderer::variable::kSocket.data()).value_or("");
    if (environment.socket.empty()) {
        environment.socket = "/tmp/tailscaled.sock";
    }
    AsioLoop loop;
    SocketTransport transport(loop, ready_socket(environment));
    int code = 1;
    transport.send(
        {.url = "http://proxy/readyz", .timeout = std::chrono::seconds(5)},
        [&](const HttpReply& reply) {
            code = reply.status == 200 ? 0 : 1;
            fmt::print("{}", reply.status == 0 ? reply.problem + "\n" : reply.body);
            loop.stop();
        },
        nullptr);
    loop.run();
    return code;
}

}  // namespace runtime::proxy
