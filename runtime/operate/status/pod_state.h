// Describes in a few words why a pod does not run. Pure functions.
// Source: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
#pragma once

#include <string>

#include "renderer/core/value.h"

namespace runtime::operate {

// Returns what prevents the pod from running: "ImagePullBackOff tailscale/tailscale:v1.96.4",
// "Unschedulable: 0/1 nodes are available"; "" if it runs, is starting, or is being deleted.
std::string pod_trouble(const renderer::Value& pod);

// Returns the phase before it runs: "Pending", "ContainerCreating"; "" if its containers have
// started.
std::string pod_progress(const renderer::Value& pod);

// Returns the text up to the first full stop or line break, without it.
std::string first_sentence(std::string_view text);

}  // namespace runtime::operate
