// What the operator's objects are, by their labels, owners and keys. The operator (tailscale
// v1.96.5, cmd/k8s-operator) finds the children of a parent by labels, which rendered children have
// as well.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "renderer/contract/domain.h"
#include "renderer/core/value.h"

namespace runtime::operate {

// The label of the Secrets in which `adopt` records what existed before: `proxy` or `operator`.
inline constexpr std::string_view kRecordLabel = TAILRENDER_DOMAIN "/adopt";

using Labels = std::map<std::string, std::string>;

// Returns the labels that identify the parent of an object, without the operator's other labels.
Labels parent_labels(const renderer::Value& object);
// Returns the parent that such labels identify: "Service/apps/web".
std::string parent_of(const Labels& labels);
// True if the operator created the object: the API server completed its name, or it is a
// StatefulSet without a contract.
bool has_generated_name(const renderer::Value& object);
bool is_operators_set(const renderer::Value& set);
// True for the StatefulSet of a rendered proxy.
bool is_rendered(const renderer::Value& set);
// Returns the operator's custom resource that owns an object, "Kind/name"; else "".
std::string custom_owner(const renderer::Value& object);
std::string name_of(const renderer::Value& object);
// False for null and for a StatefulSet that is scaled to 0.
bool has_replicas(const renderer::Value& set);

// True if an entry of a Secret of the operator is the state of a device, not configuration.
bool is_state_key(std::string_view key);
// Returns the `data` of a Secret, with the state in the Secret `from` over it. Both may be null.
renderer::Value with_state(const renderer::Value& from, const renderer::Value* data);
// Returns the device id in tailscaled's profile, or the one that containerboot has written; empty
// if it has never joined.
std::string device_of(const renderer::Value& secret);
std::string datum_of(const renderer::Value& secret, std::string_view key);

// Returns the patch that removes the operator's finalizers from a user's object; null if it has
// none.
renderer::Value without_finalizers(const renderer::Value& object);

}  // namespace runtime::operate
