// Iterates over a list of recorders, for 30 seconds in all, and collects why the previous ones
// failed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ip_prefix.h"
#include "runtime/base/loop.h"

namespace runtime::api_proxy {

class RecorderTurns {
public:
    // `addresses` are like "100.64.0.4:80". `now` is always the loop's uptime.
    RecorderTurns(std::vector<std::string> addresses, Duration now);

    // Returns the next recorder. No value if none is left, or the time is over.
    std::optional<AddressPort> next(Duration now);
    [[nodiscard]] const std::string& address() const { return address_; }  // of the current one
    [[nodiscard]] bool is_over(Duration now) const { return now >= give_up_; }

    // Returns the message for the current recorder: "recorder 100.64.0.4:80: it does not answer".
    [[nodiscard]] std::string told_of(std::string_view problem) const;
    void give_up(std::string_view problem);
    [[nodiscard]] std::string problems() const;  // of all recorders so far

private:
    std::vector<std::string> addresses_;
    std::string address_, problems_;
    Duration give_up_;
};

}  // namespace runtime::api_proxy
