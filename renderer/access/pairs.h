// Finds the devices of two sides that are the same to those who reach them.
#pragma once

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

}  // namespace renderer::access
