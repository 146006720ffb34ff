// `tailrender diff`: what a change of the sources means. Compares two rendered trees, cluster by
// cluster: first the devices and what they let in, then the pods that restart, then every object by
// its fields. Knows nothing of where the trees come from, and shows no value that may be a
// credential (redact.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/diff/device_changes.h"
#include "renderer/diff/object_changes.h"
#include "renderer/emit/emit.h"

namespace renderer {

// Parents that an engine leaves as they are, each with the reason.
using KeptParents = std::map<std::string, std::string>;

struct ClusterTree {
    std::string cluster;  // "" for an unnamed one
    std::vector<OutputFile> files;
    // None: a rendered tree, which does not say.
    std::optional<KeptParents> kept = {};
    // Services of the sources, where the files are only what was generated.
    std::vector<OutputFile> facts = {};
};

// A device that both sides have, and that an engine begins or ceases to leave as it is.
struct KeptChange {
    bool begins = true;
    std::string hostname, parent, reason;
};

struct ClusterComparison {
    std::string cluster;
    DevicePlan devices;
    ObjectChanges objects;
    std::vector<KeptChange> kept;  // in the order of the devices
};

struct Comparison {
    std::string base, head;                   // as the user called them
    std::string alone;                        // the side that is reported, where the other one
                                              // cannot be rendered; "" = both are compared
    std::vector<std::string> warnings;        // of HEAD, one line each
    std::vector<ClusterComparison> clusters;  // in the order of their names

    [[nodiscard]] bool is_equal() const;
};

// Clusters of one name belong together; one cluster a side belongs together if either has no name.
// A cluster that only one side has is new, or gone, with all that is in it.
Comparison compare_trees(std::vector<ClusterTree> base, std::vector<ClusterTree> head,
                         const SecretHash& hash);

}  // namespace renderer
