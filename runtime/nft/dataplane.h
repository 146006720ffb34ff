// The kernel's rules and tracked connections, as a seam: netlink.h has the real one, tests have
// their own. Needs CAP_NET_ADMIN in the network namespace of the process.
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
    std::uint32_t generation = 0;  // of all rules in the namespace, others' as well
};

class Dataplane {
public:
    Dataplane() = default;
    Dataplane(const Dataplane&) = delete;
    Dataplane& operator=(const Dataplane&) = delete;
    virtual ~Dataplane() = default;

    virtual renderer::Result<Live> read() = 0;
    // All of it or nothing. Refused as "rules changed meanwhile" when the generation is no longer
    // that of `read`.
    virtual renderer::Result<renderer::Unit> apply(const Batch& batch,
                                                   std::uint32_t generation) = 0;
    // Ends the tracking of connections that today's rules would not have sent where they go
    // (flows.h); how many.
    virtual renderer::Result<std::size_t> remove_stale_flows(const Forwarding& forwarding) = 0;
};

}  // namespace runtime::nft
