// A dataplane without a kernel, for tests of the whole process (TS_TEST_FAKE_NETFILTER, a variable
// of containerboot). Every change succeeds, and none is remembered.
#pragma once

#include "runtime/nft/dataplane.h"

namespace runtime::proxy {

class FakeDataplane : public nft::Dataplane {
public:
    renderer::Result<nft::Live> read() override { return nft::Live{}; }
    renderer::Result<renderer::Unit> apply(const nft::Batch&, std::uint32_t) override {
        return renderer::Unit{};
    }
    renderer::Result<std::size_t> remove_stale_flows(const nft::Forwarding&) override {
        return std::size_t{0};
    }
};

}  // namespace runtime::proxy
