// What a proxy needs of its process.
#pragma once

#include <string>

#include "runtime/base/asio_loop.h"
#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/base/transport.h"
#include "runtime/dns/lookup.h"
#include "runtime/kube/client.h"
#include "runtime/localapi/client.h"
#include "runtime/nft/dataplane.h"

namespace runtime::proxy {

// All of them outlive the proxy.
struct ProxyParts {
    AsioLoop& loop;
    Log& log;
    RandomSource& random;
    localapi::LocalApi& api;
    Transport& network;     // for servers other than tailscaled
    kube::Client* kube;     // null without a Secret
    std::string ns;         // of the Secret
    nft::Dataplane* rules;  // null when nothing is forwarded
    dns::Lookup* lookup;    // null when no DNS name is forwarded to
    bool has_v6 = true;     // the kernel supports IPv6
};

}  // namespace runtime::proxy
