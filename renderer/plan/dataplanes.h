// Which program the pods of a proxy run as their first: containerboot of the stock image, or
// tailrender-proxy. By the annotation of the parent, else by that of its ProxyClass, else by the
// setting. The stock program of a ProxyGroup of type kube-apiserver is k8s-proxy. Pods of Recorders
// and of the nameserver run programs of their own.
#pragma once

#include <optional>
#include <string_view>

#include "renderer/classify/parent_input.h"
#include "renderer/core/diagnostics.h"
#include "renderer/kube/api.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

constexpr std::string_view kDataplane = TAILRENDER_DOMAIN "/dataplane";
constexpr std::string_view kK8sProxyImage = "tailscale/k8s-proxy:latest";  // the operator's default

// Users of containers: the usual one, and that of `tailrender-proxy api` beside tailscaled's.
constexpr int kNobody = 65532;
constexpr int kApiUser = 65533;

// What the object's annotation says. None: it has no such annotation, or (reported by
// check_dataplane) one that says something else.
std::optional<Dataplane> annotated_dataplane(const ParentInput& object);
void check_dataplane(const ParentInput& object, Diagnostics& diagnostics);

// What its pods are to run, where there is a choice. `chosen`: its class, or nullptr.
Dataplane wished_dataplane(const ParentInput& parent, const ProxyClassPlan* chosen,
                           const Settings& settings);

// Its pods run tailrender-proxy, whatever dataplane proxies have.
void run_native(const Settings& settings, Workload& workload);

// Sets dataplane, image and pull policy of a workload that has its class. Reports an annotation
// that is wrong.
void choose_dataplane(const ParentInput& parent, const Settings& settings, Workload& workload,
                      Diagnostics& diagnostics);

// Reports an object that wants the one that its pods cannot have. `pods`: "pods of a Recorder".
void refuse_native(const ParentInput& parent, std::string_view pods, Diagnostics& diagnostics);

// What the pods of a workload run, for the notes of a message that concerns several.
Note user_of(const Workload& workload);

// The variable in a class's container, of several the last; nullptr: none, or no class.
const ClassEnv* class_variable(const ProxyClassPlan* chosen, std::string_view name);

// Images of containerboot's, other than the release's own, for pods that run tailrender-proxy: of
// classes, and of the settings where no pod runs it. Ours in a class for pods that do not, and one
// of k8s-proxy that is none where pods run it.
void check_class_images(const Plan& plan, Diagnostics& diagnostics);
void check_stock_image(const Plan& plan, Diagnostics& diagnostics);
void check_k8s_proxy_image(const Plan& plan, Diagnostics& diagnostics);

// Classes by which tailscaled has no user of its own in groups of type kube-apiserver. By that user
// `tailrender-proxy api` knows its connections (runtime/api_proxy/serve.h).
void check_class_users(const Plan& plan, Diagnostics& diagnostics);

// Classes by which tailscaled there connects for others, as that user.
void check_class_env(const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
