// Converts our expressions to libnftnl's, one to one, and back. Used by netlink.cpp.
#pragma once

#include "runtime/nft/ruleset.h"

struct nftnl_rule;

namespace runtime::nft {

void add_expressions(const Rule& rule, nftnl_rule& to);
Rule read_expressions(const nftnl_rule& from);

}  // namespace runtime::nft
