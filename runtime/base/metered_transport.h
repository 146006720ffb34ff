// A transport that counts what goes through it: requests to the Kubernetes API, and all others,
// which go to the tailnets' API. Streams count as requests, not in the time.
#pragma once

#include <string>

#include "runtime/base/loop.h"
#include "runtime/base/transport.h"

namespace runtime {

struct Traffic {
    std::uint64_t requests = 0;
    std::uint64_t failures = 0;  // no reply, 429 and 5xx
    std::uint64_t refusals = 0;  // 401 and 403
    std::uint64_t answered = 0;  // those that `took` adds up
    Duration took = Duration(0);
};

class MeteredTransport : public Transport {
public:
    // What begins with `kube_server` goes to Kubernetes.
    MeteredTransport(Loop& loop, Transport& inner, std::string kube_server)
        : loop_(loop), inner_(inner), kube_server_(std::move(kube_server)) {}

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override { inner_.cancel(id); }

    [[nodiscard]] const Traffic& kubernetes() const { return kubernetes_; }
    [[nodiscard]] const Traffic& tailnet() const { return tailnet_; }

private:
    Loop& loop_;
    Transport& inner_;
    std::string kube_server_;
    Traffic kubernetes_, tailnet_;
};

}  // namespace runtime
