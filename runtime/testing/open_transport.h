// A transport whose requests stay open until the test ends them; the test supplies the bytes of the
// reply.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/transport.h"

namespace runtime {

// `say` and `end` apply to the last request.
class OpenTransport : public Transport {
public:
    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override {
        urls.push_back(request.url);
        done_ = std::move(done);
        on_data_ = std::move(on_data);
        return ++last_;
    }
    void cancel(RequestId id) override {
        if (id == last_) {
            canceled.push_back(id);
        }
    }
    void say(std::string_view bytes) { on_data_(bytes); }
    void end(int status, std::string body = "{}") {
        done_({.status = status, .body = std::move(body)});
    }

    std::vector<std::string> urls;
    std::vector<RequestId> canceled;

private:
    RequestId last_ = 0;
    std::function<void(HttpReply)> done_;
    std::function<void(std::string_view)> on_data_;
};

}  // namespace runtime
