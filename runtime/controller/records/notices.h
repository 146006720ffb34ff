// Reports in Events what the controller does not touch: objects of another version of the contract,
// tailnets to which it does not send credentials, and an API proxy that it may not read.
#pragma once

#include <utility>

#include "renderer/contract/tailnet_config.h"
#include "runtime/controller/feature.h"

namespace runtime::controller {

class Notices : public Feature {
public:
    explicit Notices(FeatureContext context)
        : context_(std::move(context)), started_at_(context_.loop.uptime()) {}
    void reconcile(const Changes& changes) override;

private:
    void tell_refusal(const renderer::TailnetConfig& config);

    FeatureContext context_;
    Duration started_at_;
};

// The message about an object of another version.
std::string unknown_contract(std::string_view version);

}  // namespace runtime::controller
