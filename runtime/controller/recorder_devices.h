// What only the tailnet's API tells of a recorder's device: tsrecorder writes no hostname and no
// addresses into its state Secret. Asked once for each device, and again after a failure; an answer
// stays. Source: tailscale v1.96.5 cmd/k8s-operator/tsrecorder.go.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/controller/feature.h"

namespace runtime {

class RecorderDevices {
public:
    explicit RecorderDevices(FeatureContext context) : context_(std::move(context)) {}

    // Fills in what is known of the device. False: not asked yet, or not answered.
    bool describe(const StateSecret& state, Device& device);

private:
    struct Answer {
        bool busy = false;
        bool is_there = false;
        std::string hostname;
        std::vector<std::string> addresses;
        Duration not_before = {};  // uptime
    };
    void ask(const StateSecret& state, Answer& answer);

    FeatureContext context_;
    std::map<std::string, Answer> answers_;  // by device
};

}  // namespace runtime
