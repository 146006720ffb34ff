// Which objects differ, in which fields, and which pods that replaces. An object is told by group,
// kind, namespace and name: neither its file nor the order of a stream is a change.
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

namespace renderer {

enum class RestartWay {
    Rolling,   // by the workload's controller, as its strategy says
    OnDelete,  // when someone deletes the pods
    Recreate,  // the API server refuses the change until the workload is deleted
};

struct Restart {
    std::string workload;  // "StatefulSet/tailscale/ts-web-ztn66"
    RestartWay way = RestartWay::Rolling;
    std::optional<std::int64_t> pods;  // replicas of the new side, where it says so
    std::vector<FieldChange> fields;   // of the pod template, or the ones that cannot change
    std::vector<std::string> reasons;  // in words, where a field alone says too little
};

enum class ObjectEdit { Added, Renamed, Removed, Changed };

struct ObjectChange {
    ObjectEdit edit = ObjectEdit::Changed;
    std::string title;           // "Kind/namespace/name", or the path of a file
    std::string old_title = {};  // Renamed
    std::string api_version;
    std::string path;         // the file, of the new side if it is there
    bool generated = false;   // by the renderer
    std::string parent = {};  // what it is generated for, "Ingress/shop/web", where it says so
    std::vector<FieldChange> fields =
        {};  // of Changed and Renamed; empty for a file that is no YAML
};

struct ObjectChanges {
    std::vector<ObjectChange> changes;                         // sorted by title
    std::vector<Restart> restarts;                             // in the same order
    std::vector<std::pair<std::string, std::string>> renames;  // old title, new title
    std::size_t unchanged = 0;
    std::size_t moved = 0;  // unchanged, in another file
};

ObjectChanges compare_objects(const Manifests& before, const Manifests& after,
                              const SecretHash& hash);

}  // namespace renderer
