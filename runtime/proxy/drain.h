// Waits until the cluster sends this pod no more traffic for the Services of an egress group: what
// the pod's preStop hook asks for before it is ended. The Service's health endpoint is asked as
// often as there are pods, on new connections, until no reply is ours.
// Source: tailscale v1.104.5 cmd/containerboot/egressservices.go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/base/transport.h"
#include "runtime/proxy/group_services.h"

namespace runtime {

class Drain {
public:
    struct Pod {
        std::string ipv4 = {}, ipv6 = {};
    };
    // All references outlive what is asked for.
    Drain(Loop& loop, Transport& transport, Log& log, Pod pod)
        : loop_(loop), transport_(transport), log_(log), pod_(std::move(pod)) {}

    // `pings`: how many replies in a row must not be ours. The caller's own end bounds the wait.
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

// The text of `hep-pings`: 0 for none.
renderer::Result<int> read_pings(std::string_view text);

}  // namespace runtime
