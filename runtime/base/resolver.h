// Addresses by name. A seam: tests answer themselves.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace runtime {

struct Resolution {
    std::vector<std::string> addresses;  // of IPv4
    std::string problem = {};            // why there are none
};

class Resolver {
public:
    Resolver() = default;
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;
    virtual ~Resolver() = default;

    // `done` is called once, later, and may have to wait for long: one lookup at a time.
    virtual void resolve(const std::string& host, std::function<void(Resolution)> done) = 0;
};

}  // namespace runtime
