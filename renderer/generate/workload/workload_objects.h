// The objects that every workload has, and the common parts of its pods: ServiceAccount, Role,
// RoleBinding, config Secrets, StatefulSet. Source of the shapes: tailscale v1.96.5
// cmd/k8s-operator/{sts,proxygroup_specs,tsrecorder_specs}.go; the intended differences are in
// renderer/PARITY.md.
#pragma once

#include <string_view>

#include "renderer/generate/model.h"
#include "renderer/plan/dataplanes.h"

namespace renderer::generate {

Value metadata(const plan::Workload& workload, std::string_view name);
void add_object(const plan::Workload& workload, Value root, Objects& objects);

Value service_account(const plan::Workload& workload);
// Returns a rule for objects with these names. There must be at least one, because a rule without
// names allows all. `resources` is static text.
Value name_rule(std::string_view resources, Value names, Value verbs);
// Adds the rule with which tailrender-proxy watches the pods' configuration and keys. Adds nothing
// if the pods run the stock image, or if there are no pods.
void add_followed_secrets(const plan::Workload& workload, Value& rules);
Value role(const plan::Workload& workload, Value rules);
Value role_binding(const plan::Workload& workload);

// Returns the pod name of each replica.
Value pod_names(const plan::Workload& workload);

Value config_secret(const plan::Workload& workload, std::size_t ordinal, Value data);

// Returns a ConfigMap for the controller; it has no `data` if that is empty.
Value contract_map(const plan::Workload& workload, std::string_view name, Value data);

// Return a variable. Names of fields are static text; names of variables are static text or the
// input's. An empty value is omitted, as in Kubernetes.
Value env(std::string_view name, std::string_view value);
Value env_from_field(std::string_view name, std::string_view field);

// Keeps only the last entry with each name, at its position: server-side apply refuses duplicates.
void make_env_unique(Value& container);

// Append the entries for `workload.volumes` to a pod's `volumes` and a container's `volumeMounts`.
void add_volumes(const plan::Workload& workload, Value& volumes);
void add_mounts(const plan::Workload& workload, Value& mounts);
Value read_only_mount(std::string_view name, std::string_view path);

// Returns a container with the workload's image.
Value bare_container(const plan::Workload& workload, std::string_view name, Value environment);
// Does the same, and appends the feature's variables to `environment`.
Value container(const plan::Workload& workload, std::string_view name, Value environment);

constexpr int kReadyPeriod = 5;  // seconds

// The probe checks whether a pod is in the tailnet: a rolling update continues only when the new
// pod is ready.
Value health_probe();

// The probe runs tailrender-proxy in the pod to check whether it is ready.
Value ready_probe();

// The resources of a proxy's container, unless a ProxyClass sets others.
Value proxy_resources();

// Adds the chart's `imagePullSecrets` to a ServiceAccount, if the release does so.
void add_pull_secrets(const plan::Settings& settings, Value& account);

// An init container that enables IP forwarding for a proxy that routes packets.
Value sysctl_container(const plan::Workload& workload);

// The security context of a container that forwards packets, as the user that opens tailscaled's
// device: privileged, or only the needed capabilities, with that device as a volume.
Value forwarding_security_context(const plan::Workload& workload);
void add_tunnel_device(const plan::Workload& workload, Value& volumes);
void add_tunnel_mount(const plan::Workload& workload, Value& mounts);

// The security context for the PodSecurity level `restricted`, with this user and its group.
Value restricted_security_context(int user = plan::kNobody);

// The annotations of the contract with the controller: hostnames, parent, tags, tailnet
// (testdata/contract/proxy.md).
Value contract_annotations(const plan::Workload& workload);

// Returns the StatefulSet. `spec` has the selector and the template; the ProxyClass is applied to
// the whole object.
Value stateful_set(const plan::Workload& workload, Value spec);

}  // namespace renderer::generate
