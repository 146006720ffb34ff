// A transport to one server that may be overloaded and ask clients to retry later (`Retry-After`,
// RFC 9110, section 10.2.3). After a 429, and after a 503 with `Retry-After`, all requests wait,
// for a minute at most. Nothing was done for a request that got a 429, so it is sent again; the
// caller gets the reply of the last of several attempts.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/base/loop.h"
#include "runtime/base/transport.h"

namespace runtime::inline base {

class PatientTransport : public Transport {
public:
    // Both references must outlive the transport.
    PatientTransport(Loop& loop, Transport& inner) : loop_(loop), inner_(inner) {}
    ~PatientTransport() override;

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override;

private:
    struct Exchange {
        HttpRequest request;
        std::function<void(HttpReply)> done;
        std::function<void(std::string_view)> on_data;
        int attempts = 0;
        RequestId sent_as = 0;  // id in the inner transport; 0: waiting
    };

    void forward(RequestId id);
    void wait(RequestId id);
    void wake();
    void take(RequestId id, HttpReply reply);

    Loop& loop_;
    Transport& inner_;
    RequestId next_ = 1;
    std::map<RequestId, Exchange> open_;
    std::vector<RequestId> waiting_;  // may include cancelled ones
    std::optional<TimerId> timer_;
    Duration not_before_ = {};  // an uptime
};

}  // namespace runtime::inline base
