// True for a valid port of TCP, UDP or SCTP.
#pragma once

#include <cstdint>

namespace renderer::inline kube {

constexpr bool is_port_number(std::int64_t number) {
    return number >= 1 && number <= 65535;
}

}  // namespace renderer::inline kube
