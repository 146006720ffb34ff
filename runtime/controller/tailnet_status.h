// The condition of Tailnets: whether the controller can use their credentials. Asked once for each
// configuration, and again after a failure; an answer that was good stays good.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "runtime/controller/feature.h"

namespace runtime {

class TailnetStatus : public Feature {
public:
    explicit TailnetStatus(FeatureContext context) : context_(std::move(context)) {}
    void reconcile() override;

private:
    struct Probe {
        TailnetConfig config;
        bool busy = false;
        bool is_good = false;
        std::string problem;
        Duration not_before = {};  // uptime
    };
    void probe(const TailnetConfig& config);
    void write(const Parent& tailnet, std::string_view reason, const std::string& problem);

    FeatureContext context_;
    std::map<std::string, Probe> probes_;  // by name
};

}  // namespace runtime
