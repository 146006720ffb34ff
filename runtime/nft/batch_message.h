// A batch as the bytes of one netlink transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/nft/diff.h"

namespace runtime::nft {

struct BatchMessage {
    std::string bytes;
    std::vector<std::string>
        steps;  // what each message is about; the first has the sequence number 1
};

// The kernel refuses it when its rules are not of the generation any more; 0 asks for none.
BatchMessage encode(const Batch& batch, std::uint32_t generation);

}  // namespace runtime::nft
