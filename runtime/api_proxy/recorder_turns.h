// The recorders of a list, one after another and for 30 seconds in all, and why those that have had
// their turn did not take what they were to take.
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
    // `addresses`: "100.64.0.4:80". `now` is the loop's uptime, as below.
    RecorderTurns(std::vector<std::string> addresses, Duration now);

    // Whose turn is next; none: no one is left, or no time.
    std::optional<AddressPort> next(Duration now);
    [[nodiscard]] const std::string& address() const { return address_; }  // whose turn it is
    [[nodiscard]] bool is_over(Duration now) const { return now >= give_up_; }

    // "recorder 100.64.0.4:80: it does not answer"
    [[nodiscard]] std::string told_of(std::string_view problem) const;
    void give_up(std::string_view problem);
    [[nodiscard]] std::string problems() const;  // of all

private:
    std::vector<std::string> addresses_;
    std::string address_, problems_;
    Duration give_up_;
};

}  // namespace runtime::api_proxy
