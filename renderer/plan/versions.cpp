#include "renderer/plan/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/kube/image_reference.h"
#include "renderer/repo/paths.h"

namespace renderer::plan {

namespace {

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
};

// Sources: the tags of github.com/tailscale/tailscale that have the change first, each with its
// pull request. The other variables of our pods are older than v1.88:
// TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR 1.68, POD_UID, TS_LOCAL_ADDR_PORT, TS_ENABLE_METRICS and
// TS_ENABLE_HEALTH_CHECK 1.78, TS_EGRESS_PROXIES_CONFIG_PATH 1.80, TS_EXPERIMENTAL_CERT_SHARE 1.82,
// TS_INGRESS_PROXIES_CONFIG_PATH 1.84. TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT (1.96.0, #18527)
// is rendered as "false", which is what older versions do without reading it.
constexpr std::array kChanges = {
    VersionChange{{94, 0},  // #17493
                  Needs::TailnetName,
                  "a Tailscale Service is not found under its name in the tailnet"},
    VersionChange{{96, 0},  // #18519
                  Needs::Metrics,
                  "metrics are not served in pods with only an IPv6 address"},
    VersionChange{{96, 2},  // #16450
                  Needs::EveryProxy,
                  "a proxy whose key is rejected never requests another one"},
    VersionChange{{98, 4},
                  Needs::Group,
                  "connections through the pods of a group stall where a path's MTU is small"},
    VersionChange{{102, 0}, Needs::SiteName, "the names of a site's IPv4 addresses are not found"},
    VersionChange{
        {104, 0}, Needs::AcmeAccount, "replicas do not share the account at the ACME server"},
};
static_assert(std::ranges::is_sorted(kChanges, {}, &VersionChange::since));
static_assert(kChanges.front().since >
                  TailscaleVersion{kReleases.front().minor - kSupportedSkew, 0} &&
              kChanges.back().since <= kReleases.back());
static_assert(std::ranges::none_of(kChanges, &std::string_view::empty, &VersionChange::without));

// v1.100.0 was cut before the fix. Source: tailscale v1.102.0 ipn/ipnlocal/serve.go
constexpr std::array kServeLoop = {VulnerableRange{{0, 0}, {98, 9}},
                                   VulnerableRange{{99, 0}, {102, 0}}};
constexpr std::array kHoles = {
    KnownHole{.needs = Needs::Serve,
              .affected = kServeLoop,
              .stake = "one request from the tailnet keeps a proxy of an Ingress busy forever",
              .public_stake = "one request from the Internet keeps a public proxy busy forever",
              .good = "v1.98.9, or v1.102.0 and later"},
};
static_assert(std::ranges::all_of(kHoles, [](const KnownHole& hole) {
    return !hole.affected.empty() && !hole.stake.empty() && !hole.public_stake.empty() &&
           !hole.good.empty() &&
           std::ranges::all_of(hole.affected, [](const VulnerableRange& range) {
               return range.from < range.until;
           });
}));

bool runs_stock(const Workload& one) {
    return one.dataplane == Dataplane::Containerboot;
}

bool is_proxy(const Workload& one) {
    return runs_stock(one) && one.traits().forward_packets;
}

// True if the group runs the stock image. A refused group is not in the plan, and also counts.
bool is_of_stock_group(const Plan& plan, std::string_view group) {
    return std::ranges::none_of(plan.workloads, [&](const Workload& one) {
        return one.as<ProxyGroupPlan>() != nullptr && one.name == group && !runs_stock(one);
    });
}

// Returns the target names of egress proxies and of members of egress groups.
std::vector<std::string_view> targeted_names(const Plan& plan) {
    std::vector<std::string_view> names;
    for_each_of<ProxyPlan>(plan.workloads, [&](const Workload& one, const ProxyPlan& proxy) {
        if (proxy.target == Target::TailnetName && runs_stock(one)) {
            names.emplace_back(proxy.target_value);
        }
    });
    for (const EgressMember& member : plan.egress_members) {
        if (!member.fqdn.empty() && is_of_stock_group(plan, member.group)) {
            names.emplace_back(member.fqdn);
        }
    }
    return names;
}

// True for "10-1-0-5-via-7" and "10-1-0-5-via-7.tail1a2b3.ts.net".
bool is_site_name(std::string_view name) {
    constexpr std::string_view kVia = "-via-";
    const std::string_view label = name.substr(0, name.find('.'));
    const std::size_t via = label.find(kVia);
    const auto is_number = [](char c) { return is_digit(c) || c == '-'; };
    return via != std::string_view::npos && std::ranges::all_of(label.substr(0, via), is_number) &&
           std::ranges::all_of(label.substr(via + kVia.size()), is_digit);
}

template <typename Test>
bool has_group(const Plan& plan, const Test& test) {
    return std::ranges::any_of(plan.workloads, [&](const Workload& one) {
        const auto* group = one.as<ProxyGroupPlan>();
        return group != nullptr && runs_stock(one) && std::invoke(test, *group);
    });
}

// True if a proxy or a group serves an Ingress; with `in_public`, only if it is through Funnel.
bool serves(const Plan& plan, bool in_public) {
    const bool alone = std::ranges::any_of(plan.workloads, [&](const Workload& one) {
        const auto* proxy = one.as<ProxyPlan>();
        return proxy != nullptr && runs_stock(one) && proxy->target == Target::Serve &&
               (!in_public || proxy->funnel);
    });
    return alone || (!in_public && std::ranges::any_of(plan.offered, [&](const auto& service) {
               return service.offer == Offer::Web && is_of_stock_group(plan, service.group);
           }));
}

bool is_needed(Needs needs, const Plan& plan) {
    switch (needs) {
        case Needs::EveryProxy:
            return std::ranges::any_of(plan.workloads, is_proxy);
        case Needs::Metrics:
            return std::ranges::any_of(plan.proxy_classes, &ProxyClassPlan::metrics);
        case Needs::TailnetName:
            return !targeted_names(plan).empty();
        case Needs::SiteName:
            return std::ranges::any_of(targeted_names(plan), is_site_name);
        case Needs::Group:
            return has_group(plan, [](const ProxyGroupPlan& group) { return !group.serves_api(); });
        case Needs::AcmeAccount:
            return has_group(plan, &ProxyGroupPlan::shares_acme_account);
        case Needs::Serve:
            return serves(plan, false);
    }
    return false;
}

class VersionCheck {
public:
    VersionCheck(const Plan& plan, bool lints, Diagnostics& diagnostics)
        : plan_(plan), lints_(lints), diagnostics_(diagnostics) {}

    void check(std::string_view tag, Pos pos, std::string_view object) {
        const std::optional<TailscaleVersion> version = version_of_tag(tag);
        if (!version) {
            return;
        }
        if (version->minor < oldest_minor() || version->minor > release().version.minor) {
            refuse(tag, version->minor < oldest_minor(), pos, object);
            return;
        }
        check_holes(*version, tag, pos, object);
        std::vector<Note> notes;
        for (const VersionChange& change : kChanges) {
            if (*version < change.since && change.since <= release().version &&
                is_needed(change.needs, plan_)) {
                notes.push_back({.text = fmt::format("before v1.{}.{}: {}", change.since.minor,
                                                     change.since.patch, change.without)});
            }
        }
        if (!notes.empty()) {
            diagnostics_
                .warning("version-skew", pos,
                         "these proxies run an older version of Tailscale, which lacks features "
                         "or fixes that matter here")
                .object(object)
                .where("proxyConfig.image.tag")
                .found(fmt::format("\"{}\"", tag))
                .expected(fmt::format("\"{}\"", release().tag))
                .notes(std::move(notes));
        }
    }

private:
    void check_holes(TailscaleVersion version, std::string_view tag, Pos pos,
                     std::string_view object) {
        for (const KnownHole& hole : kHoles) {
            const bool is_affected =
                std::ranges::any_of(hole.affected, [&](const VulnerableRange& range) {
                    return range.from <= version && version < range.until;
                });
            if (!is_affected || !is_needed(hole.needs, plan_)) {
                continue;
            }
            diagnostics_
                .say(lints_ ? Severity::Error : Severity::Warning, "vulnerable-image", pos,
                     fmt::format("this version of Tailscale has a known vulnerability: {}",
                                 serves(plan_, true) ? hole.public_stake : hole.stake))
                .object(object)
                .where("proxyConfig.image.tag")
                .found(fmt::format("\"{}\"", tag))
                .expected(hole.good)
                .hint("set \"tailrender.operatorVersion\" to a newer release, or the image's tag");
        }
    }

    [[nodiscard]] const Release& release() const { return plan_.settings.release; }
    [[nodiscard]] int oldest_minor() const { return release().version.minor - kSupportedSkew; }

    void refuse(std::string_view tag, bool old, Pos pos, std::string_view object) {
        diagnostics_
            .error("version-skew", pos,
                   old ? "this version of Tailscale is more than four releases behind the "
                         "operator"
                       : "this version of Tailscale is newer than the operator")
            .object(object)
            .where("proxyConfig.image.tag")
            .found(fmt::format("\"{}\"", tag))
            .expected(fmt::format("a version from v1.{} to v{}", oldest_minor(), release().name()))
            .hint(old ? fmt::format("use \"{}\"", release().tag)
                      : fmt::format(
                            "use \"{}\", or set \"tailrender.operatorVersion\" to the release "
                            "that this image is of",
                            release().tag));
    }

    const Plan& plan_;
    bool lints_;
    Diagnostics& diagnostics_;
};

// Returns the oldest version whose pods find their configuration and have every field of it.
TailscaleVersion oldest_of_relays(const Release& release) {
    const Trait trait = release.has(Trait::RelayEndpoints) ? Trait::RelayEndpoints : Trait::Relays;
    return since(trait).version;
}

// Refuses older images for relays, with which their pods do not start.
void check_relays(const Plan& plan, Pos tag_pos, Diagnostics& diagnostics) {
    for (const Workload& one : plan.workloads) {
        const bool has_own =
            one.proxy_class != nullptr && !one.proxy_class->container.image.empty();
        const ImageReference image =
            parse_image_reference(has_own ? one.proxy_class->container.image : one.image);
        const std::optional<TailscaleVersion> version = version_of_tag(image.tag);
        const TailscaleVersion oldest = oldest_of_relays(one.release);
        if (!is_relay(one) || !runs_stock(one) || !version || *version >= oldest) {
            continue;
        }
        const std::string_view kind = kind_of_name(one.origin.parent);
        const Pos pos = has_own ? one.proxy_class->container.image_pos : tag_pos;
        const std::vector<Note> place =
            pos.known() ? std::vector<Note>{{.pos = pos, .text = "sets the image"}}
                        : std::vector<Note>();
        about(one.origin, diagnostics)
            .error("version-skew", one.origin.pos,
                   fmt::format("this image is too old for a {}: its pods would not find a "
                               "configuration that they support",
                               kind))
            .found(fmt::format("\"{}\"", image.tag))
            .expected(fmt::format("v1.{}.{} or later", oldest.minor, oldest.patch))
            .hint(fmt::format("set a newer image, for the {} alone in a ProxyClass", kind))
            .notes(place);
    }
}

// Returns the position of the tag, or of the chart whose version is the default.
Pos tag_pos(const load::Loaded& loaded, const Settings& settings) {
    const Value* tag = settings.chart.at({"proxyConfig", "image", "tag"});
    if (tag != nullptr && tag->pos().known()) {
        return tag->pos();
    }
    if (loaded.operator_release) {
        return loaded.operator_release->pos;
    }
    return loaded.operator_bundle ? loaded.bundles[*loaded.operator_bundle].chart_pos : Pos{};
}

}  // namespace

void check_versions(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics) {
    VersionCheck check(plan, loaded.lints, diagnostics);
    const Settings& settings = plan.settings;
    const bool stock = settings.dataplane == Dataplane::Containerboot ||
                       std::ranges::any_of(plan.workloads, is_proxy);
    check_relays(plan, tag_pos(loaded, settings), diagnostics);
    if (stock && settings.proxy_image.digest.empty()) {
        check.check(settings.proxy_image.tag, tag_pos(loaded, settings), "");
    }
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const ImageReference image = parse_image_reference(one.container.image);
        const std::string_view name = repo::base_name(image.path);
        if (image.error.empty() && (name == "tailscale" || name == "k8s-proxy")) {
            check.check(image.tag, one.container.image_pos, one.origin.parent);
        }
    }
}

}  // namespace renderer::plan
