// A transport whose replies come from a function of the test. The function runs when a request is
// sent; its reply is delivered later, on the loop. Requests are recorded.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/loop.h"
#include "runtime/base/transport.h"

namespace runtime {

class ScriptedTransport : public Transport {
public:
    ScriptedTransport(Loop& loop, std::function<HttpReply(const HttpRequest&)> answer)
        : loop_(loop), answer_(std::move(answer)) {}

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)>) override {
        asked.push_back(request.method + " " + request.url);
        loop_.after({}, [reply = answer_(request), done = std::move(done)] { done(reply); });
        return ++last_;
    }
    void cancel(RequestId) override {}

    std::vector<std::string> asked;  // "METHOD URL"

private:
    Loop& loop_;
    std::function<HttpReply(const HttpRequest&)> answer_;
    RequestId last_ = 0;
};

}  // namespace runtime
