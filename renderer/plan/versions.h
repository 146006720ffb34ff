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

namespace renderer {

struct TailscaleVersion {
    int minor = 0;  // of 1.x
    int patch = 0;

    friend auto operator<=>(const TailscaleVersion&, const TailscaleVersion&) = default;
};

constexpr TailscaleVersion kSupportedVersion = {96, 5};
constexpr int kOldestMinor = 88;

// "v1.96.5", "1.94", "1.92.3-debug". Without a patch the newest one is meant. A major number other
// than 1 is a version beyond all of ours.
std::optional<TailscaleVersion> version_of_tag(std::string_view tag);

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
