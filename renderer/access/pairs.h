// Finds the devices of two sides that are the same to those who reach them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "renderer/access/evaluate.h"

namespace renderer::access {

struct DevicePair {
    const Device* before = nullptr;  // nullptr: only the new side has it
    const Device* after = nullptr;
};

// Pairs devices of one parent, those of the same name first; then others by their name. `renames`
// are parents with a new name.
std::vector<DevicePair> pair_devices(
    const std::vector<Device>& before, const std::vector<Device>& after,
    const std::vector<std::pair<std::string, std::string>>& renames);

// Pairs what has the same key on both sides, in the order of the keys. nullptr: the other side
// alone has it.
template <typename T, typename KeyOf>
std::vector<std::pair<const T*, const T*>> pair_by_key(const std::vector<T>& before,
                                                       const std::vector<T>& after,
                                                       const KeyOf& key_of) {
    std::map<decltype(key_of(before.front())), std::pair<const T*, const T*>> all;
    for (const T& one : before) {
        all[key_of(one)].first = &one;
    }
    for (const T& one : after) {
        all[key_of(one)].second = &one;
    }
    std::vector<std::pair<const T*, const T*>> pairs;
    pairs.reserve(all.size());
    for (const auto& [key, pair] : all) {
        pairs.push_back(pair);
    }
    return pairs;
}

}  // namespace renderer::access
