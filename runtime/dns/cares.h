// Lookups by c-ares on the process's loop.
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
    Duration timeout = std::chrono::seconds(2);  // of one try
    int tries = 3;
    // Names in it are asked for as they are: with the usual "ndots:5" search domains would come
    // first.
    std::string cluster_domain = {};
};

// The loop outlives it.
renderer::Result<std::unique_ptr<Lookup>> open_cares(Loop& loop, const CaresOptions& options);

}  // namespace runtime::dns
