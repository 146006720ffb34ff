#include "renderer/plan/clusters.h"

#include <fmt/format.h>

#include "renderer/base/ascii.h"
#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/joining.h"

namespace renderer::plan {

namespace {

// Returns a key that identifies a tailnet offline.
std::string tailnet_of(const Settings& settings, const Joining& one) {
    return fmt::format("{} {} {}", settings.tailnet_domain, one.server_url, one.tailnet);
}

}  // namespace

std::vector<Pos> ClusterChecks::add(std::string_view name, const Plan& plan,
                                    const SourceMap& sources, Diagnostics& diagnostics) {
    names_.emplace_back(name);
    compare_hostnames(plan, sources, diagnostics);
    compare_take_over_tag(plan.settings, diagnostics);
    keep_hostnames(plan);
    for (const Pos pos : class_fields_with_effect(plan)) {
        class_fields_.insert(sources.describe(pos));
    }
    for (const Diagnostic& one : diagnostics.all()) {
        if (one.rule == kClassFieldRule) {
            unused_class_fields_.push_back({one.pos, sources.describe(one.pos), &diagnostics});
        }
    }
    std::vector<Pos> positions;
    for_each_of<ProxyPlan>(plan.workloads, [&](const Workload& workload, const ProxyPlan& proxy) {
        if (proxy.target == Target::TailnetName) {
            std::string_view target = proxy.target_value;
            target.remove_suffix(target.ends_with('.') ? 1 : 0);
            targets_.push_back(
                {workload.origin.parent, proxy.target_pos, std::string(target), &diagnostics});
            positions.push_back(proxy.target_pos);
        }
    });
    return positions;
}

// A target that no cluster serves may be any other device of the tailnet. A target that differs
// only slightly from the name of a device of a cluster is a typo.
void ClusterChecks::finish() const {
    std::set<std::string_view> reported;  // the notes of each cluster name its own objects
    for (const UnusedField& one : unused_class_fields_) {
        if (class_fields_.contains(one.place) || !reported.insert(one.place).second) {
            one.diagnostics->remove_warnings(kClassFieldRule, one.pos);
        }
    }
    std::map<std::string_view, std::string> nearest;  // many clusters have the same targets
    for (const EgressTarget& target : targets_) {
        const auto [entry, is_new] = nearest.try_emplace(target.name);
        if (is_new) {
            entry->second = nearest_device(target.name);
        }
        if (!entry->second.empty()) {
            const std::string_view name = target.name;
            Report(target.parent, *target.diagnostics)
                .warning("unknown-device", target.pos,
                         fmt::format("no cluster of this repository has a device \"{}\"",
                                     name.substr(0, name.find('.'))))
                .found(fmt::format("\"{}\"", name))
                .hint(did_you_mean(entry->second));
        }
    }
}

std::string ClusterChecks::nearest_device(std::string_view target) const {
    const std::size_t dot = target.find('.');
    const std::string_view host = target.substr(0, dot);
    const std::string_view domain = target.substr(dot + 1);
    const auto known = hostnames_.find(domain);
    if (known == hostnames_.end() || known->second.lower.contains(lower_case(host))) {
        return {};
    }
    const std::vector<std::string>& names = known->second.all;
    const std::string_view near = nearest(host, {names.begin(), names.end()});
    return near.empty() ? std::string() : fmt::format("{}.{}", near, domain);
}

void ClusterChecks::compare_hostnames(const Plan& plan, const SourceMap& sources,
                                      Diagnostics& diagnostics) {
    const std::size_t cluster = names_.size() - 1;
    const bool known = !plan.settings.tailnet_domain.empty();
    for (const Joining& one : joining_of(plan)) {
        const auto [entry, is_first] =
            devices_.try_emplace({tailnet_of(plan.settings, one), one.lower});
        Device& first = entry->second;
        if (is_first) {
            first = {cluster, one.origin->parent, sources.describe(one.pos)};
        }
        if (first.cluster == cluster) {
            continue;
        }
        about(*one.origin, diagnostics)
            .say(known ? Severity::Error : Severity::Warning, "duplicate-hostname", one.pos,
                 fmt::format("cluster \"{}\" also has a device with the hostname \"{}\"",
                             names_[first.cluster], one.hostname))
            .found(fmt::format("that of {} at {}", first.parent, first.place))
            .expected("a unique hostname: the tailnet would call the second one \"<hostname>-1\"")
            .hint(known ? "set \"tailrender.hostnameSuffix\" in the values of one cluster"
                        : "set \"tailrender.hostnameSuffix\" in the values of one cluster, or "
                          "\"tailnetDomain\" of both if they are in different tailnets");
    }
}

// Refuses a take-over tag of two clusters: each would delete devices of the other that are offline.
void ClusterChecks::compare_take_over_tag(const Settings& settings, Diagnostics& diagnostics) {
    const std::string& tag = settings.take_over_tag;
    const auto [owner, is_first] = owners_.try_emplace(
        fmt::format("{} {} {}", settings.tailnet_domain, settings.login_server, tag),
        names_.size() - 1);
    if (!tag.empty() && !is_first) {
        diagnostics
            .error("shared-take-over-tag", {},
                   fmt::format("cluster \"{}\" has the same \"tailrender.takeOverTag\"",
                               names_[owner->second]))
            .found(fmt::format("\"{}\"", tag))
            .expected("a tag that no other cluster sets on its devices")
            .hint(
                "set another one in the values of one cluster, or \"tailnetDomain\" of "
                "both if they are in different tailnets");
    }
}

void ClusterChecks::keep_hostnames(const Plan& plan) {
    Hostnames& names = hostnames_[plan.settings.tailnet_domain];
    for (const auto& all : {joining_of(plan), offering_of(plan)}) {
        for (const Joining& one : all) {
            names.all.emplace_back(one.hostname);
            names.lower.insert(lower_case(one.hostname));
        }
    }
}

}  // namespace renderer::plan
