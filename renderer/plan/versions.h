// Which versions of Tailscale's image the objects work with. The operator accepts proxies of up to
// four releases behind its own; releases have even minor numbers. Everything that differs between
// them is in one table. Tags that name no version (`stable`, a branch) and digests pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/release.h"

namespace renderer {

// How many minor numbers behind the operator the image of a proxy may be: four releases.
constexpr int kSupportedSkew = 8;

enum class Needs : std::uint8_t {
    EveryProxy,   // no proxy is as good without it
    Metrics,      // a ProxyClass with metrics
    TailnetName,  // egress to a name in the tailnet
    SiteName,     // egress to a name that stands for an IPv4 address of a site: "10-1-0-5-via-7"
    Group,        // a ProxyGroup of type egress or ingress
    AcmeAccount,  // an ingress group whose replicas share one
    Serve,        // an Ingress
};

// What containerboot learned after the oldest version that we take.
struct VersionChange {
    TailscaleVersion since;
    Needs needs = Needs::EveryProxy;
    std::string_view without;  // what happens with an older one
};

// Oldest first.
std::span<const VersionChange> version_changes();

// Versions that can be attacked in a known way: [from, until).
struct VulnerableRange {
    TailscaleVersion from, until;
};

struct KnownHole {
    Needs needs = Needs::EveryProxy;
    std::span<const VulnerableRange> affected;
    std::string_view stake;         // what an attacker gets
    std::string_view public_stake;  // the same where Funnel is on
    std::string_view good;          // the first versions without it
    std::string_view source;
};

std::span<const KnownHole> known_holes();

// The image of all proxies, and those of ProxyClasses that are called "tailscale" or "k8s-proxy".
void check_versions(const Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer
