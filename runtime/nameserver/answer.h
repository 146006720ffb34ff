// Computes the nameserver's answer to a packet. Pure. It is authoritative for `ts.net`, refuses
// other names, and forwards nothing.
#pragma once

#include <string>
#include <string_view>

#include "runtime/nameserver/message.h"
#include "runtime/nameserver/records.h"

namespace runtime::nameserver {

enum class Carrier { Udp, Tcp };

struct Answer {
    std::string packet;  // empty: send nothing
    Rcode rcode = Rcode::NoError;
    bool truncated = false;
};

// `records` is nullptr until there are valid ones.
Answer answer(std::string_view packet, Carrier carrier, const Records* records);

}  // namespace runtime::nameserver
