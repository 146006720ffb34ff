// Decides which program the pods of a proxy run as their first process: containerboot of the stock
// image, or tailrender-proxy. The parent's annotation decides, else the annotation of its
// ProxyClass, else the setting, else whether there is an image of tailrender-proxy. The stock
// program of a ProxyGroup of type kube-apiserver is k8s-proxy. Pods of Recorders and of the
// nameserver run other programs.
#pragma once

#include <optional>
#include <string_view>

#include "renderer/classify/parent_input.h"
#include "renderer/contract/domain.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

constexpr std::string_view kDataplane = TAILRENDER_DOMAIN "/dataplane";
constexpr std::string_view kOwnImageName = "tailrender-proxy";  // of the image and the program
constexpr std::string_view kK8sProxyImage = "tailscale/k8s-proxy:latest";  // the operator's default

// User ids of containers: the usual one, and the one of `tailrender-proxy api`, which must differ
// from tailscaled's.
constexpr int kNobody = 65532;
constexpr int kApiUser = 65533;

// Returns the dataplane of the object's annotation. Returns none if it has no such annotation, or
// an invalid one, which check_dataplane reports.
std::optional<Dataplane> annotated_dataplane(const classify::ParentInput& object);
void check_dataplane(const classify::ParentInput& object, Diagnostics& diagnostics);

// The position of a default is unknown.
struct DataplaneChoice {
    Dataplane dataplane;
    Pos pos;
};

// Returns the dataplane for the pods of the parent, if they have a choice. `chosen` is its class,
// or nullptr.
DataplaneChoice requested_dataplane(const classify::ParentInput& parent,
                                    const ProxyClassPlan* chosen, const Settings& settings);

// Makes the pods run tailrender-proxy, independent of the dataplane of proxies.
void run_native(const Settings& settings, Workload& workload);

// Sets dataplane, image and pull policy of a workload whose class is set. Reports an invalid
// annotation.
void choose_dataplane(const classify::ParentInput& parent, const Settings& settings,
                      Workload& workload, Diagnostics& diagnostics);

// Reports an object whose annotation sets native, which its pods do not support. `pods` is such as
// "pods of a Recorder".
void refuse_native(const classify::ParentInput& parent, std::string_view pods,
                   Diagnostics& diagnostics);

// Returns a note with the program of a workload's pods, for messages about several workloads.
Note user_of(const Workload& workload);

// Returns the variable of a class's container, the last one if there are several; nullptr if there
// is none, or no class.
const ClassEnv* class_variable(const ProxyClassPlan* chosen, std::string_view name);

// The images of classes and settings that do not fit the dataplane: images of containerboot, other
// than those of the release, in classes of pods that run tailrender-proxy; the image of
// tailrender-proxy in a class of pods that do not run it; a malformed image of k8s-proxy.
void check_class_images(const Plan& plan, Diagnostics& diagnostics);
void check_k8s_proxy_image(const Plan& plan, Diagnostics& diagnostics);

// Refuses classes with which tailscaled does not have a separate user in groups of type
// kube-apiserver: `tailrender-proxy api` accepts connections of that user only
// (runtime/api_proxy/serve.h).
void check_class_users(const Plan& plan, Diagnostics& diagnostics);

// Refuses classes that make tailscaled in these groups connect for others, as that user.
void check_class_env(const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer::plan
