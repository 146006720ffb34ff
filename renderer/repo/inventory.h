// The inventory of a rendered tree lists the files that tailrender wrote, so that the next run may
// change and remove them, and the devices and the release of the operator, so that the next run can
// tell which ones are removed. It is JSON with a version, with one file or device per line, so that
// no name can look like another line, and reviewers can read a diff of it. Earlier releases wrote
// one path per line and nothing else; those inventories are read as well, and the next run replaces
// them. An inventory is untrusted input: it may have been edited or merged, and must not name paths
// outside of its directory.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace renderer::repo {

constexpr std::string_view kInventoryFile = ".tailrender-inventory";

struct InventoryDevice {
    std::string parent;  // "Service/shop/web"
    std::string
        hostname;  // "shop-web"; "svc:docs" for a Tailscale Service; "" for settings and remotes
    std::string unit;         // the unit that applies the parent; "" if none is known
    std::string source;       // the file that the parent is in, relative to the root of the sources
    std::string values = {};  // of settings: a digest of the values that matter
    std::string load_balancer_class = {};  // of a Service of that type, if it has one

    friend auto operator<=>(const InventoryDevice&, const InventoryDevice&) = default;
};

// All lists are sorted and have no duplicates.
struct TreeInventory {
    std::vector<std::string> files;  // relative to the inventory's directory
    std::vector<InventoryDevice> devices;
    // The release of the operator's chart whose values are settings; without one, the text has no
    // such key. `parent`: "HelmRelease/tailscale/operator".
    std::vector<InventoryDevice> settings = {};
    // The remote parts of kustomizations that were not at hand, by unit; without any, the text has
    // no such key. `parent`: the address.
    std::vector<InventoryDevice> remotes = {};
    bool lists_devices = true;  // false: an earlier release wrote it, without its devices

    void sort();
};

std::string inventory_text(const TreeInventory& inventory);

// `where`: the path of the inventory, for the error [bad-inventory], whose hint says how to
// recover. An empty text is an inventory without files.
Result<TreeInventory> read_inventory(const std::string& where, std::string_view text);

}  // namespace renderer::repo
