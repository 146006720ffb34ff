// Which versions of Tailscale's image the objects work with. The operator accepts proxies of up to
// four releases behind its own; releases have even minor numbers. Everything that differs between
// them is in one table. Tags that name no version (`stable`, a branch) and digests pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/load/load.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/release.h"

namespace renderer {

// How many minor numbers behind the operator the image of a proxy may be: four releases.
constexpr int kSupportedSkew = 8;

enum class Needs : std::uint8_t {
    EveryProxy,   // no proxy is as good without it
    Metrics,      // a ProxyClass with metrics
    TailnetName,  // egress to a name in the tailnet
};

// What containerboot learned after the oldest version that we take.
struct VersionChange {
    TailscaleVersion since;
    Needs needs = Needs::EveryProxy;
    std::string_view without;  // what happens with an older one
};

// Oldest first.
std::span<const VersionChange> version_changes();

// The image of all proxies, and those of ProxyClasses that are called "tailscale" or "k8s-proxy".
void check_versions(const Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
