// The request that a session handles: its head, how much of its body was forwarded, and what the
// audit log tells of it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/api_proxy/head.h"
#include "runtime/api_proxy/progress.h"
#include "runtime/base/loop.h"

namespace runtime::api_proxy {

struct CurrentRequest {
    CurrentRequest() = default;
    CurrentRequest(const CurrentRequest&) = delete;  // `head` points into `text`
    CurrentRequest& operator=(const CurrentRequest&) = delete;
    ~CurrentRequest() = default;

    // Nothing of this request may be used for the next one.
    void forget() {
        head = {};
        text = {};
        for_upstream = {};
        status = 0;
    }

    std::string text;
    RequestHead head;
    std::string for_upstream;  // the head that the API server gets
    Progress body;
    int status = 0;                        // of its response
    Duration begun = {};                   // uptime
    std::uint64_t sent = 0, received = 0;  // bytes, of the client's view
};

}  // namespace runtime::api_proxy
