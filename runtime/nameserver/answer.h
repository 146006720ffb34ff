// What the nameserver says to a packet: a pure function. It is the authority for `ts.net` and knows
// nothing else; it never asks anyone.
#pragma once

#include <string>
#include <string_view>

#include "runtime/nameserver/message.h"
#include "runtime/nameserver/records.h"

namespace runtime {

enum class Carrier { Udp, Tcp };

struct Answer {
    std::string packet;  // empty: say nothing
    Rcode rcode = Rcode::NoError;
    bool truncated = false;
};

// `records` is nullptr as long as there are none to be trusted.
Answer answer(std::string_view packet, Carrier carrier, const Records* records);

}  // namespace runtime
