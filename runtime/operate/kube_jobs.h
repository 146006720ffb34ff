// What the verbs that people run do with Kubernetes' API, as jobs: each may have been done before,
// wholly or in part, and does then only what is left.
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

namespace runtime {

inline constexpr const renderer::Kind& kDeployments = renderer::kind_of("Deployment");

using Objects = std::vector<renderer::Value>;

// How often a write is tried again that another one came before.
inline constexpr int kConflicts = 10;

// nullptr: it is not among them.
const renderer::Value* find_named(const Objects& objects, std::string_view name);

// All objects of a kind that every Kubernetes has, in pages.
Job list_all(KubeClient& kube, const std::string& path, Objects& out);
// Of a custom resource: a kind that the server does not know has none.
Job list_custom(KubeClient& kube, const std::string& path, Objects& out);
// As far as we may: when the server forbids it, `refusal` says so and there are no objects.
struct Listed {
    Objects objects = {};
    std::string refusal = {};
};
Job list_allowed(KubeClient& kube, const std::string& path, Listed& out);

// Null: it does not exist. `out` outlives the job.
Job read_object(KubeClient& kube, const std::string& path, renderer::Value& out);

// Nothing happens if it is there.
Job create_once(KubeClient& kube, const std::string& collection, renderer::Value object);

// Only the object with this UID, unless it is empty; `gone` if it is another one, or none.
Job erase_object(KubeClient& kube, const std::string& path, const std::string& uid = {},
                 std::string_view propagation = {});

// Reads an object, lets `change` say what to patch (RFC 6902) given what it looks like, and writes
// that, if no one else has written meanwhile; if someone has, it looks again. A null answer: there
// is nothing to change. An object that is not there is left alone.
using Change = std::function<renderer::Value(const renderer::Value& object)>;
Job change_object(KubeClient& kube, const std::string& path, Change change);

// Such an answer: annotations that the object shall have; an empty value: shall not have.
using Annotation = std::pair<std::string_view, std::string_view>;
renderer::Value annotate(const renderer::Value& object, std::initializer_list<Annotation> wanted);

// Does the job if the object is as wished now (null: it does not exist).
using Wish = std::function<bool(const renderer::Value& object)>;
Job only_if(KubeClient& kube, const std::string& path, Wish wish, Job job);

// Looks at an object until it is as wished (null: it does not exist); `what` is said when it is not
// within `patience`.
struct Patience {
    Loop& loop;
    Duration limit;
};
Job wait_for(KubeClient& kube, Patience patience, const std::string& path, Wish wish,
             const std::string& what);

}  // namespace runtime
