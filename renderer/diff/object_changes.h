// Finds which objects differ, in which fields, and which pods that restarts. An object is
// identified by group, kind, namespace and name; a different file or order of a stream is not a
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/diff/fields.h"
#include "renderer/diff/manifests.h"
#include "renderer/secrets/secret_hash.h"

namespace renderer::diff {

enum class RestartWay {
    Rolling,   // by the workload's controller, with its update strategy
    OnDelete,  // when the user deletes the pods
    Recreate,  // the API server refuses the change until the workload is deleted
};

struct Restart {
    std::string workload;  // "StatefulSet/tailscale/ts-web-ztn66"
    RestartWay way = RestartWay::Rolling;
    std::optional<std::int64_t> pods;  // replicas on the new side, if specified
    std::vector<FieldChange> fields;   // in the pod template, or immutable ones
    std::vector<std::string> reasons;  // explanations, if a field alone is not clear
};

enum class ObjectEdit { Added, Renamed, Removed, Changed };

struct ObjectChange {
    ObjectEdit edit = ObjectEdit::Changed;
    std::string title;           // "Kind/namespace/name", or the path of a file
    std::string old_title = {};  // only for Renamed
    std::string api_version;
    std::string path;         // the file, on the new side if it exists there
    bool generated = false;   // made by the renderer
    std::string parent = {};  // what it is generated for, "Ingress/shop/web", if known
    std::vector<FieldChange> fields =
        {};  // of Changed and Renamed; empty for a file that is not YAML
};

struct ObjectChanges {
    std::vector<ObjectChange> changes;                         // sorted by title
    std::vector<Restart> restarts;                             // sorted by workload
    std::vector<std::pair<std::string, std::string>> renames;  // old title, new title
    std::size_t unchanged = 0;
    std::size_t moved = 0;  // unchanged, but in another file
};

ObjectChanges compare_objects(const Manifests& before, const Manifests& after,
                              const secrets::SecretHash& hash);

}  // namespace renderer::diff
