#include "runtime/proxy/drain.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runtime/proxy/go_text.h"

namespace runtime::proxy {

namespace {

constexpr Duration kPause = std::chrono::seconds(1);
// kube-proxy on other nodes may take longer than on this one to stop routing to this pod.
constexpr Duration kOtherNodes = std::chrono::seconds(10);
constexpr Duration kPatience = std::chrono::seconds(3);

}  // namespace

struct Drain::Service {
    std::string name, endpoint;
    int pings = 0;
    int left = 0;  // replies of this round
    std::function<void()> done;
};

void Drain::wait(const EgressServices& services, int pings, std::function<void()> done) {
    log_.info(
        "Ensuring that cluster traffic for egress targets is no longer routed via this Pod...");
    // Runs after the last service is done.
    const auto finish = std::make_shared<std::function<void()>>([this, done = std::move(done)] {
        log_.info(
            "Sleeping for 10s before shutdown to ensure that kube proxies on all nodes have "
            "updated routing configuration");
        loop_.after(kOtherNodes, done);
    });
    const auto left = std::make_shared<std::size_t>(services.size() + 1);
    const auto one_done = [left, finish] {
        if (--*left == 0) {
            (*finish)();
        }
    };
    for (const auto& [name, service] : services) {
        if (service.health_endpoint.empty()) {
            log_.info(
                fmt::format("Tailnet target \"{}\" does not have a cluster healthcheck "
                            "specified, unable to verify if cluster traffic for the target "
                            "is still routed via this Pod",
                            name));
            one_done();
            continue;
        }
        ask(std::make_shared<Service>(
            Service{name, service.health_endpoint, pings, pings, one_done}));
    }
    one_done();
}

void Drain::ask(const std::shared_ptr<Service>& service) {
    if (service->left <= 0) {
        log_.info(
            fmt::format("service \"{}\" is no longer routed through this Pod", service->name));
        return service->done();
    }
    --service->left;
    transport_.send(
        {.url = service->endpoint, .timeout = kPatience},
        [this, service](const HttpReply& reply) { take(service, reply); }, nullptr);
}

void Drain::take(const std::shared_ptr<Service>& service, const HttpReply& reply) {
    if (reply.status == 0) {
        // No backend is left or none answers, so this pod gets none of the service's traffic.
        log_.info(fmt::format("endpoint \"{}\" can not be reached: {}", service->endpoint,
                              reply.problem));
        return ask(service);
    }
    if (!is_ours(reply)) {
        return ask(service);
    }
    log_.info(
        fmt::format("service \"{}\" is still routed through this Pod, waiting...", service->name));
    service->left = service->pings;
    loop_.after(kPause, [this, service] { ask(service); });
}

bool Drain::is_ours(const HttpReply& reply) const {
    const std::string_view ipv4 = header_of(reply, "pod-ipv4");
    const std::string_view ipv6 = header_of(reply, "pod-ipv6");
    return (!ipv4.empty() && ipv4 == pod_.ipv4) || (!ipv6.empty() && ipv6 == pod_.ipv6);
}

renderer::Result<int> read_pings(std::string_view text) {
    int pings = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pings);
    if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) {
        return renderer::Error{
            {.rule = "invalid-pings",
             .message = fmt::format("error parsing hep pings as int: {}", quote_go(text))}};
    }
    return std::max(pings, 0);
}

}  // namespace runtime::proxy
