// Recorders: a StatefulSet each, named like the Recorder itself. Source of the rules: tailscale
// v1.96.5 cmd/k8s-operator/{tsrecorder,tsrecorder_specs}.go and the CRD's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/recorder.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"

namespace renderer {

struct Inventory;
struct Plan;
struct ProxyInputs;

// What goes to Kubernetes unchanged is still the input's.
struct RecorderPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string name;  // of StatefulSet, Role and RoleBinding
    std::string ns;
    std::string account;
    std::int64_t replicas = 1;
    std::vector<std::string> hostnames;  // one per replica
    Pos hostname_pos;                    // what they were made of
    std::string hostname_wish;           // for the pod, which puts in its own name
    std::vector<std::string> tags;
    std::string tailnet;     // "" = the controller's own
    std::string server_url;  // "" = the default control server
    std::string image;
    std::string destination;  // of recordings
    const RecorderInput* input = nullptr;

    static std::string_view hostname_advice() { return "rename the Recorder"; }
};

// Fills plan.recorders and adds their devices. Refuses what the operator refuses, and names that
// Kubernetes or someone else in the namespace could not live with.
void plan_recorders(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                    Diagnostics& diagnostics);

}  // namespace renderer
