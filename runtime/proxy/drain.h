// Waits until the cluster sends this pod no more traffic for the Services of an egress group. The
// pod's preStop hook requests it before the pod is ended. Each Service's health endpoint is
// requested as often as there are pods, on new connections, until no reply comes from this pod.
// Source: tailscale v1.104.5 cmd/containerboot/egressservices.go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/base/transport.h"
#include "runtime/proxy/group_services.h"

namespace runtime::proxy {

class Drain {
public:
    struct Pod {
        std::string ipv4 = {}, ipv6 = {};
    };
    // All references outlive every wait.
    Drain(Loop& loop, Transport& transport, Log& log, Pod pod)
        : loop_(loop), transport_(transport), log_(log), pod_(std::move(pod)) {}

    // Calls `done` once `pings` requests in a row got no reply from this pod. There is no time
    // limit here; the caller's own bounds the wait.
    void wait(const EgressServices& services, int pings, std::function<void()> done);

private:
    struct Service;
    void ask(const std::shared_ptr<Service>& service);
    void take(const std::shared_ptr<Service>& service, const HttpReply& reply);
    [[nodiscard]] bool is_ours(const HttpReply& reply) const;

    Loop& loop_;
    Transport& transport_;
    Log& log_;
    Pod pod_;
};

// Parses the text of `hep-pings`; an empty text is 0.
renderer::Result<int> read_pings(std::string_view text);

}  // namespace runtime::proxy
