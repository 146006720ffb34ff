// Rulesets and batches as text of nft(8), which `nft -f` takes: loading the text and applying the
// batch leave the same rules. What libnftnl knows and we do not (in tables of others) is printed in
// a comment. Pure.
#pragma once

#include <string>

#include "runtime/nft/diff.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

// As `nft list table` prints it, elements one a line.
std::string dump(const Ruleset& ruleset);
// One command a line; empty for an empty batch.
std::string dump(const Batch& batch);

}  // namespace runtime::nft
