// The releases of the reference operator, and what differs between them. All differences are rows
// of one table: a generator or a check asks a release for a trait and never compares numbers. A new
// release is a row of `known_releases`, and a row for each difference. Releases have even minor
// numbers. Source of releases: the tags of github.com/tailscale/tailscale.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"

namespace renderer {

struct TailscaleVersion {
    int minor = 0;  // of 1.x
    int patch = 0;

    friend auto operator<=>(const TailscaleVersion&, const TailscaleVersion&) = default;
};

inline constexpr int kNewestPatch = std::numeric_limits<int>::max();  // of a tag without a patch

// "v1.96.5", "1.94", "1.92.3-debug". Without a patch the newest one is meant. A major number other
// than 1 is a version beyond all of ours.
std::optional<TailscaleVersion> version_of_tag(std::string_view tag);

enum class Trait : std::uint8_t {
    DefaultServerUrl,  // the address of Tailscale's own control server is spelled in every config
    EgressDualStack,   // Services of an egress group prefer both families
    KeptDevices,  // a pod that starts does not forget its device: only a probe tells when it is
                  // in the tailnet
    PriorityClassValue,     // the chart's operatorConfig.priorityClassName
    AnnotationsValue,       // the chart's annotations, of the operator's Deployment
    TailnetIdentity,        // a Tailnet may name an audience instead of an OAuth client's secret
    NameValues,             // the chart's nameOverride and fullnameOverride
    ShortenedLabels,        // names that are too long for a label's value are cut, with a hash
    SysctlWithoutProgram,   // the init container writes to /proc/sys instead of calling sysctl
    ServeOnAllInterfaces,   // cluster traffic reaches Serve by a variable only
    AcmeAccounts,           // replicas of an ingress group may share an account of the ACME server;
                            // else they, and no other pods of groups, force each renewal
    GuardedPolicies,        // expressions of admission policies look for annotations first
    PullSecretsOnAccounts,  // accounts of proxies have the chart's imagePullSecrets
    PeerRelays,             // the operator knows the kind
    RelayHealth,     // load balancers ask the pods of PeerRelays whether they are in the tailnet
    RelayEndpoints,  // PeerRelays choose their port and name addresses besides; their configuration
                     // is that of capability version 148, else 142
};

struct TraitRow {
    Trait trait = {};
    TailscaleVersion since;
    std::string_view source;
    std::optional<TailscaleVersion> until = {};  // the first one without it
};

std::span<const TraitRow> trait_rows();

struct Release {
    TailscaleVersion version;
    std::string tag;  // of the images that belong to it: "v1.96.5"

    [[nodiscard]] bool has(Trait trait) const;
    [[nodiscard]] std::string name() const;  // "1.96"
};

// The first release that has it.
Release since(Trait trait);

// The newest patch of each known release, oldest first.
std::span<const TailscaleVersion> known_releases();
Release default_release();

// Somewhere that says which release the operator is of.
struct ReleaseSource {
    std::string
        text;  // "1.98.10", "v1.98.10"; what names no version (a range, `stable`) says nothing
    std::string_view where;  // "tailrender.operatorVersion"
    Pos pos = {};
    std::string object = {};
    bool is_replaced = false;  // an old release there is only a warning
};

// The first of `sources` that names a release, else the default. Reports a release that is not
// known (newer than all known ones: a warning; older: an error), and another source that disagrees.
Release choose_release(std::span<const ReleaseSource> sources, Diagnostics& diagnostics);

}  // namespace renderer
