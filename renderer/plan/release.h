// The releases of the operator, and the differences between them. All differences are rows of one
// table: a generator or a check asks a release for a trait and never compares numbers. A new
// release is a row of `kReleases`, and a row for each difference. Releases have even minor
// numbers. Source of releases: the tags of github.com/tailscale/tailscale.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"

namespace renderer::plan {

struct TailscaleVersion {
    int minor = 0;  // of 1.x
    int patch = 0;

    friend auto operator<=>(const TailscaleVersion&, const TailscaleVersion&) = default;
};

inline constexpr int kNewestPatch = std::numeric_limits<int>::max();  // of a tag without a patch

// Parses "v1.96.5", "1.94", "1.92.3-debug". Without a patch the newest one is meant. A major number
// other than 1 is newer than all known releases.
std::optional<TailscaleVersion> version_of_tag(std::string_view tag);

enum class Trait : std::uint8_t {
    DefaultServerUrl,  // every config has the URL of Tailscale's own control server
    EgressDualStack,   // Services of an egress group prefer both families
    // A starting pod keeps its device, so only a probe shows when it is in the tailnet.
    KeptDevices,
    PriorityClassValue,    // the chart's operatorConfig.priorityClassName
    AnnotationsValue,      // the chart's annotations for the operator's Deployment
    TailnetIdentity,       // a Tailnet may have an audience instead of an OAuth client's secret
    NameValues,            // the chart's nameOverride and fullnameOverride
    ShortenedLabels,       // names that are too long for a label value are cut, and get a hash
    SysctlWithoutProgram,  // the init container writes to /proc/sys instead of calling sysctl
    ServeOnAllInterfaces,  // cluster traffic reaches Serve only with a variable
    // Replicas of an ingress group may share an ACME account; otherwise they force each renewal,
    // unlike pods of other groups.
    AcmeAccounts,
    GuardedPolicies,        // expressions of admission policies look for annotations first
    PullSecretsOnAccounts,  // ServiceAccounts of proxies have the chart's imagePullSecrets
    Relays,                 // the operator has the kind of peer_relay.h
    RelayHealth,            // their load balancers check whether pods are in the tailnet
    // Relays may set a port and further addresses; their configuration has capability version
    // 148, otherwise 142.
    RelayEndpoints,
};

struct Release {
    TailscaleVersion version;
    std::string tag;  // tag of its images: "v1.96.5"

    [[nodiscard]] bool has(Trait trait) const;
    [[nodiscard]] std::string name() const;  // "1.96"
};

// Returns the first release that has the trait.
Release since(Trait trait);

// The newest patch of each known release, oldest first.
inline constexpr std::array kReleases = {TailscaleVersion{96, 5}, TailscaleVersion{98, 10},
                                         TailscaleVersion{100, 0}, TailscaleVersion{102, 5},
                                         TailscaleVersion{104, 5}};
Release default_release();

// The setting that decides; an invalid one is refused with the other settings.
inline constexpr std::string_view kOperatorVersion = "tailrender.operatorVersion";

// A place that names the operator's release.
struct ReleaseSource {
    std::string text;        // "1.98.10", "v1.98.10"; a range of patches is its newest one
    std::string_view where;  // kOperatorVersion, "helm.version"
    Pos pos = {};
    std::string object = {};
    bool is_replaced = false;  // an old release is only a warning
};

// Returns the first release that one of `sources` names, else the default. Reports a release that
// is not known (newer than all known ones: a warning; older: an error), and another source that
// disagrees.
Release choose_release(std::span<const ReleaseSource> sources, Diagnostics& diagnostics);

}  // namespace renderer::plan
