// A loop with one watched descriptor, which is ready when a test says so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/testing/fake_loop.h"

namespace runtime::api_proxy {

class ReadyLoop : public FakeLoop {
public:
    void watch(int, Interest interest, std::function<void(Interest)> ready) override {
        watched.push_back(std::string(interest.read ? "r" : "") + (interest.write ? "w" : ""));
        interest_ = interest;
        ready_ = std::move(ready);
    }
    // The descriptor is ready for all that it is watched for.
    void tell() { tell(interest_); }
    void tell(Interest what) {
        if (const auto ready = ready_) {
            ready(what);
        }
    }

    std::vector<std::string> watched;  // "r", "w", "rw" or "", one for each call

private:
    Interest interest_;
    std::function<void(Interest)> ready_;
};

}  // namespace runtime::api_proxy
