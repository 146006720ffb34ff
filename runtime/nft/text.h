// Prints rulesets and batches in the syntax of nft(8). Loading the text with `nft -f` and applying
// the batch result in the same rules. Expressions of other programs that only libnftnl can print
// are in a comment. Pure.
#pragma once

#include <string>

#include "runtime/nft/diff.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

// Prints a table as `nft list table` does, with one element per line.
std::string dump(const Ruleset& ruleset);
// Prints one command per line. Empty for an empty batch.
std::string dump(const Batch& batch);

}  // namespace runtime::nft
