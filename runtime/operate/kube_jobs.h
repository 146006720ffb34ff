// Jobs that use the Kubernetes API, for the verbs that people run. A job may have been done before,
// in whole or in part; then it does only the rest.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/base/jobs.h"
#include "runtime/base/json_patch.h"
#include "runtime/base/loop.h"
#include "runtime/kube/client.h"

namespace runtime::operate {

inline constexpr const renderer::Kind& kDeployments = renderer::kind_of("Deployment");

using Objects = std::vector<renderer::Value>;

// The number of tries of a write that conflicts with another one.
inline constexpr int kConflicts = 10;

// Returns nullptr if no object has this name.
const renderer::Value* find_named(const Objects& objects, std::string_view name);

// Lists all objects of a kind that every Kubernetes has, in pages. `out` outlives the job.
Job list_all(kube::Client& kube, const std::string& path, Objects& out);
// Lists a custom resource. A kind that the server does not have has no objects.
Job list_custom(kube::Client& kube, const std::string& path, Objects& out);
// The result of list_allowed. If the server forbids to list the kind, `refusal` has its message and
// `objects` is empty.
struct Listed {
    Objects objects = {};
    std::string refusal = {};
};
Job list_allowed(kube::Client& kube, const std::string& path, Listed& out);

// Reads an object; `out` is null if it does not exist. `out` outlives the job.
Job read_object(kube::Client& kube, const std::string& path, renderer::Value& out);

// Creates an object; does nothing if it exists.
Job create_once(kube::Client& kube, const std::string& collection, renderer::Value object);

// Deletes an object. Unless `uid` is empty, deletes only the object with this UID, and succeeds if
// there is another one, or none.
Job erase_object(kube::Client& kube, const std::string& path, const std::string& uid = {},
                 std::string_view propagation = {});

// Reads an object, calls `change` for the operations of a patch (RFC 6902), and applies them unless
// someone else has written meanwhile; then it starts over. A null value of `change` means that
// nothing has to change. An object that does not exist is left alone.
using Change = std::function<renderer::Value(const renderer::Value& object)>;
Job change_object(kube::Client& kube, const std::string& path, Change change);

// Returns operations for change_object: they set these annotations, and remove those with an empty
// value. Null if the object already has them.
using Annotation = std::pair<std::string_view, std::string_view>;
renderer::Value annotate(const renderer::Value& object, std::initializer_list<Annotation> wanted);

// Does the job if `condition` is true for the object now (null: it does not exist).
using Condition = std::function<bool(const renderer::Value& object)>;
Job only_if(kube::Client& kube, const std::string& path, Condition condition, Job job);

// Reads an object until `condition` is true for it (null: it does not exist). Fails with the
// message `what` if that takes longer than `patience`.
struct Patience {
    Loop& loop;
    Duration limit;
};
Job wait_for(kube::Client& kube, Patience patience, const std::string& path, Condition condition,
             const std::string& what);

}  // namespace runtime::operate
