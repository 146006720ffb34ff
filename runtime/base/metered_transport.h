// A transport that counts its requests: to the Kubernetes API, and all others, which go to the API
// of a tailnet. Streams count as requests, but not in the duration.
#pragma once

#include <string>

#include "runtime/base/loop.h"
#include "runtime/base/transport.h"

namespace runtime::inline base {

struct Traffic {
    std::uint64_t requests = 0;
    std::uint64_t failures = 0;  // no reply, 429 and 5xx
    std::uint64_t refusals = 0;  // 401 and 403
    std::uint64_t answered = 0;  // requests that `took` sums up
    Duration took = Duration(0);
};

class MeteredTransport : public Transport {
public:
    // Requests whose URL begins with `kube_server` go to Kubernetes.
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

}  // namespace runtime::inline base
