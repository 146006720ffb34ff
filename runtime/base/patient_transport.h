// A transport to one server that may say that it has too much to do, and when to come again
// (`Retry-After`, RFC 9110, section 10.2.3): after a 429, and after a 503 that says when, all
// requests wait, for a minute at most. A 429 says that nothing was done: the request is sent again,
// and who sent it hears of the last of a few.
#pragma once

#include <map>
#include <vector>

#include "runtime/base/loop.h"
#include "runtime/base/transport.h"

namespace runtime {

class PatientTransport : public Transport {
public:
    // Both outlive the transport.
    PatientTransport(Loop& loop, Transport& inner) : loop_(loop), inner_(inner) {}

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override;

private:
    struct Exchange {
        HttpRequest request;
        std::function<void(HttpReply)> done;
        std::function<void(std::string_view)> on_data;
        int attempts = 0;
        RequestId sent_as = 0;  // by the inner transport; 0: it waits
    };

    void forward(RequestId id);
    void wait(RequestId id);
    void wake();
    void take(RequestId id, HttpReply reply);

    Loop& loop_;
    Transport& inner_;
    RequestId next_ = 1;
    std::map<RequestId, Exchange> open_;
    std::vector<RequestId> waiting_;  // some may be cancelled
    bool wakes_ = false;              // a timer runs
    Duration not_before_ = {};        // an uptime
};

}  // namespace runtime
