// What has to change in the kernel, as one transaction. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/nft/ruleset.h"

namespace runtime::nft {

struct MapChange {
    std::string map;
    MapType type = {};
    std::vector<Element> removed = {},
                         added = {};  // removed first: a new value of a key is in both
    friend bool operator==(const MapChange&, const MapChange&) = default;
};

// In this order. Connections that are tracked already keep their translation (see flows.h).
struct Batch {
    std::string family = {}, table = {};
    bool delete_table = false, add_table = false;
    std::vector<Map> added_maps = {};
    std::vector<Chain> added_chains = {};
    std::vector<Chain> rewritten_chains = {};  // flushed, then their rules added; the hook stays
    std::vector<std::string> removed_maps = {};
    std::vector<MapChange> changed_maps = {};

    [[nodiscard]] bool empty() const;
    friend bool operator==(const Batch&, const Batch&) = default;
};

// `current` has no value when there is no such table. Everything in the table that is not desired
// is removed.
Batch diff(const std::optional<Ruleset>& current, const Ruleset& desired);

}  // namespace runtime::nft
