// What a pod says of itself while it does not run, in a few words. Pure functions. Source:
// https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
#pragma once

#include <string>

#include "renderer/core/value.h"

namespace runtime {

// What keeps it from running: "ImagePullBackOff tailscale/tailscale:v1.96.4", "Unschedulable: 0/1
// nodes are available"; "": it runs, is about to, or is being deleted.
std::string pod_trouble(const renderer::Value& pod);

// What it is at before it runs: "Pending", "ContainerCreating"; "": its containers have begun.
std::string pod_progress(const renderer::Value& pod);

// Up to the first full stop, and without it.
std::string first_sentence(std::string_view text);

}  // namespace runtime
