// Encodes a batch as the bytes of one netlink transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/nft/diff.h"

namespace runtime::nft {

struct BatchMessage {
    std::string bytes;
    std::vector<std::string> steps;  // what each message does; the first has sequence number 1
};

// The kernel refuses the transaction if its rules are no longer of this generation; 0 disables the
// check.
BatchMessage encode(const Batch& batch, std::uint32_t generation);

}  // namespace runtime::nft
