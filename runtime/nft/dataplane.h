// The kernel's rules and tracked connections. It is an interface: netlink.h has the implementation,
// tests have their own. Needs CAP_NET_ADMIN in the network namespace of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "renderer/core/result.h"
#include "runtime/nft/diff.h"
#include "runtime/nft/forwarding.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

struct Live {
    std::optional<Ruleset> table;  // `inet tailrender`; no value: it does not exist
    std::uint32_t generation = 0;  // of all rules in the namespace, also of other programs
};

class Dataplane {
public:
    Dataplane() = default;
    Dataplane(const Dataplane&) = delete;
    Dataplane& operator=(const Dataplane&) = delete;
    virtual ~Dataplane() = default;

    virtual renderer::Result<Live> read() = 0;
    // Applies the whole batch or nothing. Fails with "rules changed meanwhile" if the generation is
    // no longer the one that `read` returned.
    virtual renderer::Result<renderer::Unit> apply(const Batch& batch,
                                                   std::uint32_t generation) = 0;
    // Stops tracking connections that the current rules would not have sent where they go
    // (flows.h). Returns how many.
    virtual renderer::Result<std::size_t> remove_stale_flows(const Forwarding& forwarding) = 0;
};

}  // namespace runtime::nft
