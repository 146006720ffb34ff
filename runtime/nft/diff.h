// The changes that the kernel's rules need, as one transaction. Pure.
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
                         added = {};  // removed first: a key whose value changes is in both
    friend bool operator==(const MapChange&, const MapChange&) = default;
};

// The changes, in the order of execution. Connections that are already tracked keep their
// translation (see flows.h).
struct Batch {
    std::string family = {}, table = {};
    bool delete_table = false, add_table = false;
    std::vector<Map> added_maps = {};
    std::vector<Chain> added_chains = {};
    std::vector<Chain> rewritten_chains = {};  // flushed and filled again; the hook stays
    std::vector<std::string> removed_maps = {};
    std::vector<MapChange> changed_maps = {};

    [[nodiscard]] bool empty() const;
    friend bool operator==(const Batch&, const Batch&) = default;
};

// `current` has no value if the table does not exist. Everything in the table that is not in
// `desired` is removed.
Batch diff(const std::optional<Ruleset>& current, const Ruleset& desired);

}  // namespace runtime::nft
