// What a change does to the tailnet: which devices come, go, get another name or another identity,
// and what can be reached through them afterwards that could not before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/diff/devices.h"

namespace renderer {

enum class DeviceEdit {
    Added,
    Renamed,   // the same device under another name
    Replaced,  // another device, with other addresses, in the place of one
    Removed,
    Changed,  // tags, or what it targets
};

std::string_view name_of(DeviceEdit edit);  // "added"

struct DeviceChange {
    DeviceEdit edit = DeviceEdit::Changed;
    std::optional<Device> before, after;
    std::vector<std::string> reasons;

    // The side that counts: the new one if there is one.
    [[nodiscard]] const Device& shown() const { return after ? *after : *before; }
};

struct ReachChange {
    bool added = true;
    std::string hostname, parent, tailnet;
    Reach offer;  // with pods where only they differ
};

struct DevicePlan {
    std::vector<DeviceChange> changes;  // in the order of DeviceEdit, then by hostname
    std::vector<ReachChange> reach;     // public first, then by hostname
};

// `renames`: objects that have a new name, "Service/shop/web" and "Service/shop/site".
DevicePlan compare_devices(std::vector<Device> before, std::vector<Device> after,
                           const std::vector<std::pair<std::string, std::string>>& renames);

}  // namespace renderer
