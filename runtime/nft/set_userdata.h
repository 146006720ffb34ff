// What nft(8) keeps with a map to print it again: byte orders, and for "typeof" the expressions
// that the key and value are the type of. The kernel does not read it. Format: nftables 1.0.6
// src/mnl.c set_key_expression, and build_udata of meta.c, payload.c, expression.c and numgen.c.
#pragma once

#include <string>

#include "runtime/nft/ruleset.h"

namespace runtime::nft {

std::string set_userdata(const MapType& type);

}  // namespace runtime::nft
