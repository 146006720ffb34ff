// `tailrender diff`: shows the effect of a change to the sources. Compares two rendered trees,
// cluster by cluster: first the devices and what they expose, then the pods that restart, then
// every object by its fields. It does not depend on where the trees come from, and shows no value
// that may be a credential (redact.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/access/compare.h"
#include "renderer/diff/device_changes.h"
#include "renderer/diff/object_changes.h"
#include "renderer/emit/emit.h"
#include "renderer/repo/inventory.h"

namespace renderer::diff {

// Parents that an engine keeps as they are, with the reason.
using KeptParents = std::map<std::string, std::string>;

struct ClusterTree {
    std::string cluster;  // "" if it has no name
    std::vector<emit::OutputFile> files;
    // Not set for a rendered tree, which does not record it.
    std::optional<KeptParents> kept = {};
    // Services of the sources, if `files` holds only generated objects.
    std::vector<emit::OutputFile> facts = {};
    // What makes the devices and settings, without the files; empty for a tree of an earlier
    // release, which does not record it.
    repo::TreeInventory inventory = {};
};

// A device of both sides whose parent an engine starts or stops keeping as it is.
struct KeptChange {
    bool begins = true;
    std::string hostname, parent, reason;
};

// The key of a parent whose device Funnel makes public. `cluster`: "" if its side has only one.
inline std::string key_of_funnel(std::string_view cluster, std::string_view parent) {
    return std::string(cluster).append(" ").append(parent);
}

// Who gains and loses what by the policy of the tailnet, if one is named.
struct AccessComparison {
    std::string not_compared;  // why it is not compared; "" = it is
    // What differs in the policy and is not judged: "ssh", "posture:new".
    std::vector<std::string> unjudged = {};
    // Entries that devices of HEAD need and its policy lacks, unless BASE lacks them, too:
    // `nodeAttrs: {"target": ["tag:web"], "attr": ["funnel"]}`.
    std::vector<std::string> lacking = {};
    // By key_of_funnel, the entry without which Funnel has no effect, also if BASE lacks it.
    std::map<std::string, std::string, std::less<>> no_funnel = {};
};

struct ClusterComparison {
    std::string cluster;
    DevicePlan devices;
    ObjectChanges objects;
    std::vector<KeptChange> kept;  // in the order of devices
    access::Changes access = {};
};

struct Comparison {
    std::string base, head;  // names of the sides, as the user typed them
    // The side that is reported if the other one cannot be rendered; "" = both are compared.
    std::string alone;
    std::vector<std::string> warnings;        // about HEAD, one line each
    std::vector<ClusterComparison> clusters;  // sorted by name
    std::optional<AccessComparison> access = {};
    // What Markdown links to: "Service/shop/web", "shop/web.yaml:2:3" -> "https://…/web.yaml#L2".
    std::map<std::string, std::string> links = {};

    // True if no object differs.
    [[nodiscard]] bool has_equal_objects() const;
    // True if it is known besides that no one gains or loses access.
    [[nodiscard]] bool is_equal() const;
};

// Returns the entry of the policy without which what becomes public in the cluster has no effect;
// nullptr if none is missing or known.
const std::string* lacked_for(const Comparison& comparison, std::string_view cluster,
                              const ReachChange& change);

// Compares clusters of the same name. If each side has only one cluster and either has no name,
// those two are compared. A cluster that is only on one side is added or removed, with everything
// in it.
Comparison compare_trees(std::vector<ClusterTree> base, std::vector<ClusterTree> head,
                         const secrets::SecretHash& hash);

}  // namespace renderer::diff
