// The metadata that nft(8) stores with a map to print it again: byte orders, and for "typeof" the
// expressions whose types the key and value have. The kernel does not interpret it. Format:
// nftables 1.0.6 src/mnl.c set_key_expression, and build_udata of meta.c, payload.c, expression.c
// and numgen.c.
#pragma once

#include <string>

#include "runtime/nft/ruleset.h"

namespace runtime::nft {

std::string set_userdata(const MapType& type);

}  // namespace runtime::nft
