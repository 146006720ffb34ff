// The inventory of a rendered tree lists the files that tailrender wrote, so that the next run may
// change and remove them, and the devices and the release of the operator, so that the next run can
// tell which ones are removed. It is JSON with a version, with one file or device per line, so that
// no name can look like another line, and reviewers can read a diff of it. Earlier releases wrote
// one path per line and nothing else; those inventories are read as well, and the next run replaces
// them. An inventory is untrusted input: it may have been edited or merged, and must not name paths
// outside of its directory.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/result.h"

namespace renderer::repo {

// True for names of files that belong to Git or to tailrender: no output has them at any depth, so
// that no inventory lists them.
bool is_reserved_name(std::string_view name);

constexpr std::string_view kInventoryFile = ".tailrender-inventory";

struct InventoryDevice {
    std::string parent;  // "Service/shop/web"
    std::string
        hostname;  // "shop-web"; "svc:docs" for a Tailscale Service; "" in lists of other things
    std::string unit;         // the unit that applies the parent; "" if none is known
    std::string source;       // the file that the parent is in, relative to the root of the sources
    std::string values = {};  // of settings: a digest of the values that matter
    std::string load_balancer_class = {};  // of a Service of that type, if it has one

    friend auto operator<=>(const InventoryDevice&, const InventoryDevice&) = default;
};

using DeviceField = std::pair<std::string_view, std::string InventoryDevice::*>;

// The keys of a device, in the order of the text. Without a value, the text has no such key.
inline constexpr auto kDeviceFields =
    std::to_array<DeviceField>({{"parent", &InventoryDevice::parent},
                                {"hostname", &InventoryDevice::hostname},
                                {"unit", &InventoryDevice::unit},
                                {"source", &InventoryDevice::source},
                                {"values", &InventoryDevice::values},
                                {"loadBalancerClass", &InventoryDevice::load_balancer_class}});
static_assert(sizeof(InventoryDevice) == kDeviceFields.size() * sizeof(std::string));

// All lists are sorted and have no duplicates.
struct TreeInventory {
    std::vector<std::string> files;  // relative to the inventory's directory
    std::vector<InventoryDevice> devices;
    // The release of the operator's chart whose values are settings. `parent`:
    // "HelmRelease/tailscale/operator".
    std::vector<InventoryDevice> settings = {};
    // The remote parts of kustomizations that were not at hand, by unit. `parent`: the address.
    std::vector<InventoryDevice> remotes = {};
    // What units apply instead of a branch, by unit. `parent`: "v1.0.0", or "chart 1.0.0, …" for a
    // chart that Flux packs by its version.
    std::vector<InventoryDevice> revisions = {};
    bool lists_devices = true;  // false: an earlier release wrote it, without its devices

    void sort();
};

using DeviceList = std::pair<std::string_view, std::vector<InventoryDevice> TreeInventory::*>;

// The lists, by key, in the order of the text. It always has the first one, and no other empty one.
inline constexpr auto kDeviceLists =
    std::to_array<DeviceList>({{"devices", &TreeInventory::devices},
                               {"settings", &TreeInventory::settings},
                               {"remotes", &TreeInventory::remotes},
                               {"revisions", &TreeInventory::revisions}});

std::string inventory_text(const TreeInventory& inventory);

// `where`: the path of the inventory, for the error [bad-inventory], whose hint says how to
// recover. An empty text is an inventory without files.
Result<TreeInventory> read_inventory(const std::string& where, std::string_view text);

}  // namespace renderer::repo
