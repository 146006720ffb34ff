// The effect of a change on the tailnet: devices that are added or removed or get another name or
// identity, and what becomes reachable through them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/diff/devices.h"

namespace renderer::diff {

enum class DeviceEdit {
    Added,
    Renamed,   // the same device with another name
    Replaced,  // a new device, with other addresses, in place of the old one
    Removed,
    Changed,  // other tags, or another target
};

std::string_view name_of(DeviceEdit edit);  // "added"

struct DeviceChange {
    DeviceEdit edit = DeviceEdit::Changed;
    std::optional<Device> before, after;
    std::vector<std::string> reasons;

    // Returns the new device, or the old one if there is no new one.
    [[nodiscard]] const Device& shown() const { return after ? *after : *before; }
};

struct ReachChange {
    bool added = true;
    std::string hostname, parent, tailnet;
    Reach offer;  // with pods only if those differ
};

struct DevicePlan {
    std::vector<DeviceChange> changes;  // sorted by DeviceEdit, then hostname
    std::vector<ReachChange> reach;     // public first, then sorted by hostname
};

// `renames` are objects with a new name: "Service/shop/web" and "Service/shop/site".
DevicePlan compare_devices(std::vector<Device> before, std::vector<Device> after,
                           const std::vector<std::pair<std::string, std::string>>& renames);

}  // namespace renderer::diff
