// The objects that every workload has, whatever its feature, and the parts of its pods that are the
// same: ServiceAccount, Role, RoleBinding, config Secrets, StatefulSet. Source of the shapes:
// tailscale v1.96.5 cmd/k8s-operator/{sts,proxygroup_specs,tsrecorder_specs}.go; the intended
// differences are in renderer/PARITY.md.
#pragma once

#include <string_view>

#include "renderer/generate/model.h"
#include "renderer/plan/dataplanes.h"

namespace renderer {

Value metadata(const Workload& workload, std::string_view name);
void add_object(const Workload& workload, Value root, Objects& objects);

Value service_account(const Workload& workload);
// About objects of those names, of which there must be one: a rule without names allows all.
// `resources` is static text.
Value name_rule(std::string_view resources, Value names, Value verbs);
// What tailrender-proxy follows of the pods' configuration and keys; nothing where they run the
// stock image, or where there is no pod.
void add_followed_secrets(const Workload& workload, Value& rules);
Value role(const Workload& workload, Value rules);
Value role_binding(const Workload& workload);

// One for each replica.
Value pod_names(const Workload& workload);

std::string config_secret_name(const Workload& workload, std::size_t ordinal);
std::string auth_secret_name(const Workload& workload, std::size_t ordinal);
Value config_secret(const Workload& workload, std::size_t ordinal, Value data);

// A ConfigMap for the controller; without `data` when that is empty.
Value contract_map(const Workload& workload, std::string_view name, Value data);

// Names of fields are static text, those of variables static or the input's. An empty value is left
// out, as Kubernetes does.
Value env(std::string_view name, std::string_view value);
Value env_from_field(std::string_view name, std::string_view field);

// Of entries of one name the last stays, at its place: server-side apply refuses duplicates.
void make_env_unique(Value& container);

// Appends what `workload.volumes` is in a pod's `volumes` and a container's `volumeMounts`.
void add_volumes(const Workload& workload, Value& volumes);
void add_mounts(const Workload& workload, Value& mounts);
Value read_only_mount(std::string_view name, std::string_view path);

// With the workload's image.
Value bare_container(const Workload& workload, std::string_view name, Value environment);
// The same; `environment` with what the feature adds to it.
Value container(const Workload& workload, std::string_view name, Value environment);

constexpr int kHealthPort = 9002;
constexpr int kMetricsPort = kHealthPort;
constexpr int kReadyPeriod = 5;  // seconds

// Asks a pod whether it is in the tailnet: a rolling update goes on only when the new pod answers.
Value health_probe();

// Asks tailrender-proxy in the pod by its own program whether it is ready.
Value ready_probe();

// What a proxy's container asks for, unless a ProxyClass says more.
Value proxy_resources();

// What the chart's `imagePullSecrets` adds to an account of its own, and to one in its place.
void add_pull_secrets(const Settings& settings, Value& account);

// Switches on IP forwarding before a proxy starts that routes packets.
Value sysctl_container(const Workload& workload);

// What a container may do that forwards packets, as the user that opens tailscaled's device: all,
// or what it needs, with that device as a volume.
Value forwarding_security_context(const Workload& workload);
void add_tunnel_device(const Workload& workload, Value& volumes);
void add_tunnel_mount(const Workload& workload, Value& mounts);

// What a pod of the PodSecurity level `restricted` may do, as that user and its group.
Value restricted_security_context(int user = kNobody);

// The contract with the controller: hostnames, parent, tags, tailnet (testdata/contract/proxy.md).
Value contract_annotations(const Workload& workload);

// `spec` has the selector and the template; the ProxyClass is laid over all of it.
Value stateful_set(const Workload& workload, Value spec);

}  // namespace renderer
