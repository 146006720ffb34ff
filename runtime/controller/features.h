// All features. They are called together, a moment after a change, so that one look is for many
// changes.
#pragma once

#include <memory>
#include <vector>

#include "runtime/controller/feature.h"

namespace runtime::controller {

class Features {
public:
    // All references outlive it.
    Features(Loop& loop, const ClusterView& view) : loop_(loop), view_(view) {}

    // Creates each feature once. The context's references outlive them.
    void start(const FeatureContext& context);
    // Has the features look at these with the next call.
    void add(const Changes& changes) { due_.add(changes); }
    // Plans the next call, if the copies are complete.
    void plan();

private:
    Loop& loop_;
    const ClusterView& view_;
    std::vector<std::unique_ptr<Feature>> features_;
    Changes due_;
    bool is_planned_ = false;
};

}  // namespace runtime::controller
