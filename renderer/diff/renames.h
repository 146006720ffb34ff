// Objects that are gone on one side and new on the other, and are the same but for their name or
// namespace: a rename to the author, a removal and an addition to Kubernetes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/diff/manifests.h"

namespace renderer {

struct Candidate {
    const Manifest* manifest = nullptr;
    Value tree;  // redacted
};

// Index into `removed`, index into `added`. Both of one kind; each at most once; only where nothing
// else is as similar.
std::vector<std::pair<std::size_t, std::size_t>> find_renames(const std::vector<Candidate>& removed,
                                                              const std::vector<Candidate>& added);

}  // namespace renderer
