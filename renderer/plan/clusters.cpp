#include "renderer/plan/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/plan/joining.h"

namespace renderer::plan {

namespace {

struct Device {
    const ClusterPlan* cluster;
    Joining joining;
};

// Devices by tailnet and hostname, in lower case, because the tailnet ignores case.
using Key = std::pair<std::string, std::string>;
using Devices = std::map<Key, std::vector<Device>>;

// Returns a key that identifies a tailnet offline.
std::string tailnet_of(const ClusterPlan& cluster, const Joining& one) {
    return fmt::format("{} {} {}", cluster.plan.settings.tailnet_domain, one.server_url,
                       one.tailnet);
}

Devices all_devices(std::span<const ClusterPlan> clusters) {
    Devices devices;
    for (const ClusterPlan& cluster : clusters) {
        for (const Joining& one : joining_of(cluster.plan)) {
            devices[{tailnet_of(cluster, one), one.lower}].push_back({&cluster, one});
        }
    }
    return devices;
}

void report_clash(const Device& first, const Device& other) {
    const bool known = !other.cluster->plan.settings.tailnet_domain.empty();
    about(*other.joining.origin, other.cluster->diagnostics)
        .say(known ? Severity::Error : Severity::Warning, "duplicate-hostname", other.joining.pos,
             fmt::format("cluster \"{}\" also has a device with the hostname \"{}\"",
                         first.cluster->name, other.joining.hostname))
        .found(fmt::format("that of {} at {}", first.joining.origin->parent,
                           first.cluster->sources.describe(first.joining.pos)))
        .expected("a unique hostname: the tailnet would call the second one \"<hostname>-1\"")
        .hint(known ? "set \"tailrender.hostnameSuffix\" in the values of one cluster"
                    : "set \"tailrender.hostnameSuffix\" in the values of one cluster, or "
                      "\"tailnetDomain\" of both if they are in different tailnets");
}

// Refuses a take-over tag of two clusters: each would delete devices of the other that are offline.
void check_take_over(std::span<const ClusterPlan> clusters) {
    std::map<std::string, std::string_view> owners;  // cluster by tailnet and tag
    for (const ClusterPlan& cluster : clusters) {
        const Settings& settings = cluster.plan.settings;
        const std::string& tag = settings.take_over_tag;
        const auto [owner, is_first] = owners.try_emplace(
            fmt::format("{} {} {}", settings.tailnet_domain, settings.login_server, tag),
            cluster.name);
        if (!tag.empty() && !is_first) {
            cluster.diagnostics
                .error("shared-take-over-tag", {},
                       fmt::format("cluster \"{}\" has the same \"tailrender.takeOverTag\"",
                                   owner->second))
                .found(fmt::format("\"{}\"", tag))
                .expected("a tag that no other cluster sets on its devices")
                .hint(
                    "set another one in the values of one cluster, or \"tailnetDomain\" of "
                    "both if they are in different tailnets");
        }
    }
}

void check_hostnames(const Devices& devices) {
    for (const auto& [key, same] : devices) {
        for (std::size_t i = 1; i < same.size(); ++i) {
            if (same[i].cluster != same.front().cluster) {
                report_clash(same.front(), same[i]);
            }
        }
    }
}

std::vector<std::string_view> hostnames_in(std::string_view domain,
                                           std::span<const ClusterPlan> clusters) {
    std::vector<std::string_view> names;
    for (const ClusterPlan& cluster : clusters) {
        if (cluster.plan.settings.tailnet_domain == domain) {
            for (const auto& all : {joining_of(cluster.plan), offering_of(cluster.plan)}) {
                for (const Joining& one : all) {
                    names.push_back(one.hostname);
                }
            }
        }
    }
    return names;
}

// A target that no cluster serves may be any other device of the tailnet. A target that differs
// only slightly from the name of a device of a cluster is a typo.
void check_target(const ClusterPlan& cluster, const Workload& workload, const ProxyPlan& proxy,
                  std::span<const ClusterPlan> clusters) {
    std::string_view target = proxy.target_value;
    target.remove_suffix(target.ends_with('.') ? 1 : 0);
    const std::size_t dot = target.find('.');
    const std::string_view host = target.substr(0, dot);
    const std::string_view domain = target.substr(dot + 1);
    const std::vector<std::string_view> names = hostnames_in(domain, clusters);
    const auto same = [host](std::string_view name) {
        return lower_case(name) == lower_case(host);
    };
    if (std::ranges::any_of(names, same)) {
        return;
    }
    if (const std::string_view near = nearest(host, names); !near.empty()) {
        about(workload.origin, cluster.diagnostics)
            .warning("unknown-device", proxy.target_pos,
                     fmt::format("no cluster of this repository has a device \"{}\"", host))
            .found(fmt::format("\"{}\"", target))
            .hint(fmt::format("did you mean \"{}.{}\"?", near, domain));
    }
}

}  // namespace

void check_clusters(std::span<const ClusterPlan> clusters) {
    check_hostnames(all_devices(clusters));
    check_take_over(clusters);
    for (const ClusterPlan& cluster : clusters) {
        for_each_of<ProxyPlan>(cluster.plan.workloads,
                               [&](const Workload& workload, const ProxyPlan& proxy) {
                                   if (proxy.target == Target::TailnetName) {
                                       check_target(cluster, workload, proxy, clusters);
                                   }
                               });
    }
}

}  // namespace renderer::plan
