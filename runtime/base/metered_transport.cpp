#include "runtime/base/metered_transport.h"

#include <utility>

namespace runtime::inline base {

RequestId MeteredTransport::send(HttpRequest request, std::function<void(HttpReply)> done,
                                 std::function<void(std::string_view)> on_data) {
    Traffic& traffic = request.url.starts_with(kube_server_) ? kubernetes_ : tailnet_;
    ++traffic.requests;
    const Duration begun = loop_.uptime();
    const bool is_stream = on_data != nullptr;
    return inner_.send(
        std::move(request),
        [this, &traffic, begun, is_stream, done = std::move(done)](HttpReply reply) {
            traffic.failures +=
                reply.status == 0 || reply.status == 429 || reply.status >= 500 ? 1 : 0;
            traffic.refusals += reply.status == 401 || reply.status == 403 ? 1 : 0;
            if (!is_stream) {
                ++traffic.answered;
                traffic.took += loop_.uptime() - begun;
            }
            done(std::move(reply));
        },
        std::move(on_data));
}

}  // namespace runtime::inline base
