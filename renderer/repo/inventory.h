// The file that says what of a rendered tree is ours: each file, so that the next run may change
// and remove it, and each device, so that the next run knows which ones leave. JSON with a version,
// one file or device per line, so that no name in it can look like another line, and reviewers can
// read a diff of it. Earlier releases wrote one path per line and nothing else; those inventories
// are read as well, and replaced by the next run. An inventory is input: it may have been edited or
// merged, and may not point outside of its directory.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace renderer {

constexpr std::string_view kInventoryFile = ".tailrender-inventory";

struct InventoryDevice {
    std::string parent;    // "Service/shop/web"
    std::string hostname;  // "shop-web"; "svc:docs" for a Tailscale Service
    std::string unit;      // what applies the parent; "" where no engine says
    std::string source;    // the file that the parent is in, relative to the root of the sources

    friend auto operator<=>(const InventoryDevice&, const InventoryDevice&) = default;
};

// Both sorted, without duplicates.
struct TreeInventory {
    std::vector<std::string> files;  // relative to the inventory's directory
    std::vector<InventoryDevice> devices;
    bool lists_devices = true;  // false: by an earlier release, which listed none that there were

    void sort();
};

std::string inventory_text(const TreeInventory& inventory);

// `where`: the inventory's path, for the error [bad-inventory], which says how to recover. An empty
// text is an inventory without files.
Result<TreeInventory> read_inventory(const std::string& where, std::string_view text);

}  // namespace renderer
