// The versions of Tailscale's image that the objects work with. The operator accepts proxies of up
// to four releases behind its own; releases have even minor numbers. All differences between
// versions are in one table. Tags without a version (`stable`, a branch) and digests are accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/release.h"

namespace renderer::plan {

// How many minor numbers the image of a proxy may be behind the operator: four releases.
constexpr int kSupportedSkew = 8;

enum class Needs : std::uint8_t {
    EveryProxy,   // concerns every proxy
    Metrics,      // a ProxyClass with metrics
    TailnetName,  // egress to a name in the tailnet
    SiteName,     // egress to a name that stands for an IPv4 address of a site: "10-1-0-5-via-7"
    Group,        // a ProxyGroup of type egress or ingress
    AcmeAccount,  // an ingress group whose replicas share an ACME account
    Serve,        // an Ingress
};

// A change of containerboot after the oldest supported version.
struct VersionChange {
    TailscaleVersion since;
    Needs needs = Needs::EveryProxy;
    std::string_view without;  // the effect of an older version
};

// Returns the changes, oldest first.
std::span<const VersionChange> version_changes();

// Versions with a known vulnerability: [from, until).
struct VulnerableRange {
    TailscaleVersion from, until;
};

struct KnownHole {
    Needs needs = Needs::EveryProxy;
    std::span<const VulnerableRange> affected;
    std::string_view stake;         // what an attacker gets
    std::string_view public_stake;  // the same with Funnel
    std::string_view good;          // the first fixed versions
    std::string_view source;
};

std::span<const KnownHole> known_holes();

// Checks the image of all proxies, and images named "tailscale" or "k8s-proxy" of ProxyClasses.
void check_versions(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer::plan
