#include "runtime/nft/diff.h"

#include <algorithm>

namespace runtime::nft {

namespace {

template <typename T>
const T* find(const std::vector<T>& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

// Returns the changed elements. Both maps are sorted by key.
MapChange changes(const Map& current, const Map& desired) {
    MapChange change{.map = desired.name, .type = desired.type};
    auto now = current.elements.begin();
    for (const Element& wanted : desired.elements) {
        for (; now != current.elements.end() && now->key < wanted.key; ++now) {
            change.removed.push_back(*now);
        }
        if (now != current.elements.end() && now->key == wanted.key) {
            if (now->value != wanted.value) {
                change.removed.push_back(*now);
                change.added.push_back(wanted);
            }
            ++now;
        } else {
            change.added.push_back(wanted);
        }
    }
    change.removed.insert(change.removed.end(), now, current.elements.end());
    return change;
}

// Returns false if the table has to be recreated: the type of a map and the hook of a chain cannot
// be changed in place.
bool fits(const Ruleset& current, const Ruleset& desired) {
    const auto same_type = [&](const Map& map) {
        const Map* other = find(desired.maps, map.name);
        return other == nullptr || other->type == map.type;
    };
    const auto same_hook = [&](const Chain& chain) {
        const Chain* other = find(desired.chains, chain.name);
        return other != nullptr && other->hook == chain.hook;  // another chain may jump to it
    };
    return std::all_of(current.maps.begin(), current.maps.end(), same_type) &&
           std::all_of(current.chains.begin(), current.chains.end(), same_hook);
}

}  // namespace

bool Batch::empty() const {
    return !delete_table && !add_table && added_maps.empty() && added_chains.empty() &&
           rewritten_chains.empty() && removed_maps.empty() && changed_maps.empty();
}

Batch diff(const std::optional<Ruleset>& current, const Ruleset& desired) {
    Batch batch{.family = desired.family, .table = desired.name};
    if (!current || !fits(*current, desired)) {
        batch.delete_table = current.has_value();
        batch.add_table = true;
        batch.added_maps = desired.maps;
        batch.added_chains = desired.chains;
        return batch;
    }
    for (const Map& map : desired.maps) {
        const Map* old = find(current->maps, map.name);
        if (old == nullptr) {
            batch.added_maps.push_back(map);
        } else if (old->elements != map.elements) {
            batch.changed_maps.push_back(changes(*old, map));
        }
    }
    for (const Chain& chain : desired.chains) {
        const Chain* old = find(current->chains, chain.name);
        if (old == nullptr) {
            batch.added_chains.push_back(chain);
        } else if (old->rules != chain.rules) {
            batch.rewritten_chains.push_back(chain);
        }
    }
    for (const Map& map : current->maps) {
        if (find(desired.maps, map.name) == nullptr) {
            batch.removed_maps.push_back(map.name);
        }
    }
    return batch;
}

}  // namespace runtime::nft
