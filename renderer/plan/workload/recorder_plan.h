// What is decided about a Recorder; what goes to Kubernetes as it is is still the input's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/recorder.h"
#include "renderer/core/document.h"

namespace renderer {

struct RecorderPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string name;  // of StatefulSet, Role and RoleBinding
    std::string ns;
    std::string account;
    std::int64_t replicas = 1;
    std::vector<std::string> hostnames;  // one per replica
    std::string hostname_wish;           // for the pod, which puts in its own name
    std::vector<std::string> tags;
    std::string tailnet;     // "" = the controller's own
    std::string server_url;  // "" = the default control server
    std::string image;
    std::string destination;  // of recordings
    const RecorderInput* input = nullptr;
};

}  // namespace renderer
