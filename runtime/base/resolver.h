// Resolves host names to addresses. It is an interface so that tests can give the answers.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace runtime::inline base {

struct Resolution {
    std::vector<std::string> addresses;  // IPv4
    std::string problem = {};            // why there are none
};

class Resolver {
public:
    Resolver() = default;
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;
    virtual ~Resolver() = default;

    // Calls `done` once, later. Lookups run one at a time, so it may take long.
    virtual void resolve(const std::string& host, std::function<void(Resolution)> done) = 0;
};

}  // namespace runtime::inline base
