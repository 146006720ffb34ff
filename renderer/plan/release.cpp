#include "renderer/plan/release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace renderer::plan {

namespace {

constexpr int kBeyond = std::numeric_limits<int>::max();
constexpr int kMaxMajor = 9;  // a larger number is a date

constexpr TailscaleVersion kDefault = {104, 5};

struct TraitRow {
    Trait trait = {};
    TailscaleVersion since;
    std::optional<TailscaleVersion> until = {};  // the first release without it
};

// With each row is the operator's file that has the difference.
constexpr std::array kRows = {
    TraitRow{Trait::DefaultServerUrl, {98, 0}},    // k8s-operator/tsclient/client.go
    TraitRow{Trait::EgressDualStack, {98, 0}},     // cmd/k8s-operator/egress-services.go
    TraitRow{Trait::ShortenedLabels, {98, 0}},     // k8s-operator/utils.go
    TraitRow{Trait::KeptDevices, {98, 0}},         // cmd/containerboot/kube.go
    TraitRow{Trait::PriorityClassValue, {98, 0}},  // cmd/k8s-operator/deploy/chart/values.yaml
    TraitRow{Trait::AnnotationsValue, {102, 0}},   // cmd/k8s-operator/deploy/chart/values.yaml
    TraitRow{Trait::TailnetIdentity, {102, 0}},    // k8s-operator/reconciler/tailnet/tailnet.go
    TraitRow{Trait::Relays, {102, 0}},             // of these three: see peer_relay.h
    TraitRow{Trait::RelayHealth, {102, 3}},
    TraitRow{Trait::NameValues, {104, 0}},  // cmd/k8s-operator/deploy/chart/templates/_helpers.tpl
    // cmd/k8s-operator/deploy/manifests/proxy.yaml
    TraitRow{Trait::SysctlWithoutProgram, {104, 0}},
    TraitRow{Trait::ServeOnAllInterfaces, {104, 0}},  // cmd/k8s-operator/sts.go
    TraitRow{Trait::AcmeAccounts, {104, 0}},          // cmd/k8s-operator/proxygroup_specs.go
    TraitRow{Trait::GuardedPolicies, {104, 0}},       // cmd/k8s-operator/proxygrouppolicy.go
    // cmd/k8s-operator/deploy/chart/templates/proxy-rbac.yaml
    TraitRow{Trait::PullSecretsOnAccounts, {104, 0}},
    TraitRow{Trait::RelayEndpoints, {104, 0}},
};

constexpr bool has_a_known_release(const TraitRow& row) {
    return std::ranges::find(kReleases, row.since.minor, &TailscaleVersion::minor) !=
           kReleases.end();
}
static_assert(std::ranges::all_of(kRows, has_a_known_release));
static_assert(std::ranges::all_of(kRows, [](const TraitRow& row) {
    return std::ranges::count(kRows, row.trait, &TraitRow::trait) == 1;
}));
static_assert(std::ranges::is_sorted(kRows, {}, &TraitRow::since));

std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || text.starts_with('-')) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take_dot(std::string_view& text) {
    const bool dot = text.starts_with('.');
    text.remove_prefix(dot ? 1 : 0);
    return dot;
}

// Returns the newest known release that is not newer than `version`; nullptr if all are newer.
const TailscaleVersion* known_as(TailscaleVersion version) {
    const auto* const after =
        std::ranges::upper_bound(kReleases, version.minor, {}, &TailscaleVersion::minor);
    return after == kReleases.begin() ? nullptr : after - 1;
}

std::string short_name(TailscaleVersion version) {
    return fmt::format("1.{}", version.minor);
}

Release release_of(TailscaleVersion version) {
    return {.version = version, .tag = fmt::format("v1.{}.{}", version.minor, version.patch)};
}

// Returns the version that a source names, with a patch. A range of patches, such as "~1.98" or
// "1.98.x", names the newest one.
std::optional<TailscaleVersion> named_by(const ReleaseSource& source) {
    std::string_view text = source.text;
    const bool is_tilde = text.starts_with('~');
    text.remove_prefix(is_tilde ? 1 : 0);
    for (const std::string_view any : {".x", ".X", ".*"}) {
        text.remove_suffix(text.ends_with(any) ? any.size() : 0);
    }
    std::optional<TailscaleVersion> version = version_of_tag(text);
    if (version && is_tilde) {
        version->patch = kNewestPatch;
    }
    if (version && version->patch == kNewestPatch) {
        const TailscaleVersion* known = known_as(*version);
        version->patch = known != nullptr && known->minor == version->minor ? known->patch : 0;
    }
    return version;
}

Release report_old(const ReleaseSource& source, Diagnostics& diagnostics) {
    std::vector<std::string> names;
    std::ranges::transform(kReleases, std::back_inserter(names), short_name);
    diagnostics
        .say(source.is_replaced ? Severity::Warning : Severity::Error, "unknown-release",
             source.pos,
             source.is_replaced
                 ? fmt::format(
                       "this release of the operator is too old: {} is rendered in its place",
                       short_name(kDefault))
                 : "this release of the operator is older than all supported ones")
        .object(source.object)
        .where(std::string(source.where))
        .found(fmt::format("\"{}\"", source.text))
        .expected(fmt::format("one of {{ {} }}", fmt::join(names, ", ")))
        .hint("set \"tailrender.operatorVersion\" to one of them");
    return default_release();
}

void warn_of_unknown(const ReleaseSource& source, TailscaleVersion as, Diagnostics& diagnostics) {
    diagnostics
        .warning("unknown-release", source.pos,
                 fmt::format("this release of the operator is not known here: it is rendered as {}",
                             short_name(as)))
        .object(source.object)
        .where(std::string(source.where))
        .found(fmt::format("\"{}\"", source.text))
        .hint("use a newer tailrender, or read what changed before you apply this");
}

void warn_of_conflict(const ReleaseSource& taken, const ReleaseSource& other,
                      Diagnostics& diagnostics) {
    diagnostics
        .warning("release-conflict", other.pos,
                 fmt::format("another release of the operator is rendered, as set in \"{}\"",
                             taken.where))
        .object(other.object)
        .where(std::string(other.where))
        .found(fmt::format("\"{}\"", other.text))
        .expected(fmt::format("\"{}\"", taken.text));
}

// Warns of a version of the operator's chart or image that is not given, a wide range, a variable
// or a moving tag.
void warn_of_range(std::span<const ReleaseSource> sources, Diagnostics& diagnostics) {
    const auto range = std::ranges::find_if(sources, [](const ReleaseSource& source) {
        return (!source.text.empty() || source.pos.known()) && source.where != kOperatorVersion;
    });
    if (range != sources.end()) {
        diagnostics
            .warning(
                "unknown-release", range->pos,
                fmt::format("the release of the operator that is installed is not known: {} is "
                            "rendered",
                            short_name(kDefault)))
            .object(range->object)
            .where(std::string(range->where))
            .found(range->text.empty() ? "no version" : fmt::format("\"{}\"", range->text))
            .expected(fmt::format("a version, such as \"{}\"", release_of(kReleases.back()).tag))
            .hint("pin it there, or set \"tailrender.operatorVersion\"");
    }
}

}  // namespace

std::optional<TailscaleVersion> version_of_tag(std::string_view tag) {
    tag.remove_prefix(tag.starts_with('v') ? 1 : 0);
    const std::optional<int> major = take_number(tag);
    const std::optional<int> minor = major && take_dot(tag) ? take_number(tag) : std::nullopt;
    if (!minor || *major == 0 || *major > kMaxMajor) {
        return std::nullopt;
    }
    TailscaleVersion version{*major == 1 ? *minor : kBeyond, kNewestPatch};
    if (take_dot(tag)) {
        const std::optional<int> patch = take_number(tag);
        if (!patch) {
            return std::nullopt;
        }
        version.patch = *patch;
    }
    const bool ends =
        tag.empty() || std::string_view("-_@").find(tag.front()) != std::string_view::npos;
    return ends ? std::optional(version) : std::nullopt;
}

Release since(Trait trait) {
    return release_of(std::ranges::find(kRows, trait, &TraitRow::trait)->since);
}

bool Release::has(Trait trait) const {
    return std::ranges::any_of(kRows, [&](const TraitRow& row) {
        return row.trait == trait && version >= row.since && (!row.until || version < *row.until);
    });
}

std::string Release::name() const {
    return short_name(version);
}

Release default_release() {
    return release_of(kDefault);
}

Release choose_release(std::span<const ReleaseSource> sources, Diagnostics& diagnostics) {
    const ReleaseSource* taken = nullptr;
    TailscaleVersion chosen;
    for (const ReleaseSource& source : sources) {
        const std::optional<TailscaleVersion> version = named_by(source);
        if (!version) {
            continue;
        }
        if (taken == nullptr) {
            taken = &source;
            chosen = *version;
        } else if (version->minor != chosen.minor) {
            warn_of_conflict(*taken, source, diagnostics);
        }
    }
    if (taken == nullptr) {
        warn_of_range(sources, diagnostics);
        return default_release();
    }
    const TailscaleVersion* known = known_as(chosen);
    if (known == nullptr) {
        return report_old(*taken, diagnostics);
    }
    if (known->minor != chosen.minor) {
        warn_of_unknown(*taken, *known, diagnostics);
    }
    return release_of(chosen.minor == kBeyond ? *known : chosen);
}

}  // namespace renderer::plan
