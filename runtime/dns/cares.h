// Lookups with c-ares on the event loop of the process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "runtime/base/loop.h"
#include "runtime/dns/lookup.h"

namespace runtime::dns {

struct CaresOptions {
    std::string resolv_conf = "/etc/resolv.conf";
    std::uint16_t port = 53;
    Duration timeout = std::chrono::seconds(2);  // per try
    int tries = 3;
    // Names in this domain are not completed with search domains. With the usual "ndots:5" those
    // would be tried first.
    std::string cluster_domain = {};
};

// The loop must outlive the result.
renderer::Result<std::unique_ptr<Lookup>> open_cares(Loop& loop, const CaresOptions& options);

}  // namespace runtime::dns
