// The condition of Tailnets: whether the controller can use their credentials. Each configuration
// is checked, again soon after a failure, and once an hour after a success; the last result counts
// until there is another.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "renderer/contract/tailnet_config.h"
#include "runtime/controller/feature.h"

namespace runtime::controller {

class TailnetStatus : public Feature {
public:
    explicit TailnetStatus(FeatureContext context) : context_(std::move(context)) {}
    void reconcile(const Changes& changes) override;

private:
    struct Probe {
        renderer::TailnetConfig config;
        bool busy = false;
        bool is_good = false;
        std::string problem;
        bool lacks_credentials = false;
        Duration not_before = {};  // uptime
    };
    void probe(const renderer::TailnetConfig& config);
    void write(const Parent& tailnet, std::string_view reason, const std::string& problem);

    FeatureContext context_;
    std::map<std::string, Probe> probes_;  // by name
};

}  // namespace runtime::controller
