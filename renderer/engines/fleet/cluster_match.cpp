#include "renderer/engines/fleet/cluster_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "renderer/repo/closed_schema.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kDisplayName = "management.cattle.io/cluster-display-name";

enum class Match { No, Unknown, Yes };  // the lowest of several criteria counts

using Labels = std::map<std::string, std::string>;

bool has_value(const Value& requirement, const std::string& value) {
    return std::ranges::any_of(repo::list_of(requirement, "values"),
                               [&](const Value& candidate) { return candidate.text() == value; });
}

bool meets(const Value& requirement, const Labels& labels, Diagnostics& diagnostics) {
    const std::string_view op = repo::text_of(requirement, "operator");
    const auto label = labels.find(std::string(repo::text_of(requirement, "key")));
    const bool exists = label != labels.end();
    if (op == "In") {
        return exists && has_value(requirement, label->second);
    }
    if (op == "NotIn") {
        return !exists || !has_value(requirement, label->second);
    }
    if (op == "Exists" || op == "DoesNotExist") {
        return exists == (op == "Exists");
    }
    diagnostics
        .error("invalid-selector", requirement.pos(),
               fmt::format("unknown operator \"{}\" in a selector", op))
        .expected("In, NotIn, Exists or DoesNotExist");
    return false;
}

bool selects_labels(const Value& selector, const Labels& labels, Diagnostics& diagnostics) {
    for (const Member& member : members_of(repo::map_of(selector, "matchLabels"))) {
        const auto label = labels.find(std::string(member.name()));
        if (label == labels.end() || label->second != member.value.text()) {
            return false;
        }
    }
    return std::ranges::all_of(repo::list_of(selector, "matchExpressions"),
                               [&](const Value& item) { return meets(item, labels, diagnostics); });
}

bool is_named(const Cluster& cluster, std::string_view wanted) {
    const auto display = cluster.labels.find(std::string(kDisplayName));
    return cluster.name == wanted || (display != cluster.labels.end() && display->second == wanted);
}

Match yes_or_no(bool matches) {
    return matches ? Match::Yes : Match::No;
}

bool asks_for_group(const Value& target) {
    return !repo::text_of(target, "clusterGroup").empty() ||
           repo::map_of(target, "clusterGroupSelector") != nullptr;
}

// All given criteria must hold. A target without criteria never matches.
Match match(const Value& target, const Cluster& cluster, Diagnostics& diagnostics) {
    std::vector<Match> criteria;
    if (const std::string_view name = repo::text_of(target, "clusterName"); !name.empty()) {
        criteria.push_back(cluster.name.empty() ? Match::Unknown
                                                : yes_or_no(is_named(cluster, name)));
    }
    if (const Value* selector = repo::map_of(target, "clusterSelector")) {
        criteria.push_back(cluster.configured
                               ? yes_or_no(selects_labels(*selector, cluster.labels, diagnostics))
                               : Match::Unknown);
    }
    if (asks_for_group(target)) {
        criteria.push_back(Match::Unknown);
    }
    return criteria.empty() ? Match::No : std::ranges::min(criteria);
}

// `what`: "customization" or "target".
void report_unknown(const Value& target, std::string_view what, const Cluster& cluster,
                    Diagnostics& diagnostics) {
    const bool group = asks_for_group(target);
    const bool selector = repo::map_of(target, "clusterSelector") != nullptr;
    diagnostics
        .error(kUnknownCluster, target.pos(),
               group ? "cannot tell offline whether the cluster is in this group"
                     : fmt::format("cannot tell whether this {} applies", what))
        .found(group                  ? "a cluster group as criterion"
               : cluster.name.empty() ? "no cluster to render for"
                                      : fmt::format("cluster \"{}\" without labels", cluster.name))
        .expected(group ? "clusterName or clusterSelector" : "a cluster with name and labels")
        .hint(group      ? "match on a label, and set it on the cluster in .tailrender.yaml"
              : selector ? "list the cluster with its labels in .tailrender.yaml"
                         : "list the cluster in .tailrender.yaml, or name it with --cluster");
}

}  // namespace

std::vector<const Value*> customizations_of(const Value& fleet) {
    std::vector<const Value*> all;
    for (const std::string_view field : {"targets", "targetCustomizations"}) {
        for (const Value& target : repo::list_of(fleet, field)) {
            all.push_back(&target);
        }
    }
    return all;
}

std::vector<const Value*> matching_customizations(const Value& fleet, const Cluster& cluster,
                                                  Diagnostics& diagnostics) {
    const bool all = repo::text_of(fleet, "targetCustomizationMode") == "AllMatches";
    std::vector<const Value*> found;
    for (const Value* target : customizations_of(fleet)) {
        const Match matched = match(*target, cluster, diagnostics);
        if (matched == Match::Unknown) {
            report_unknown(*target, "customization", cluster, diagnostics);
        } else if (matched == Match::Yes) {
            found.push_back(target);
        }
        if (!all && matched != Match::No) {
            break;
        }
    }
    return found;
}

bool is_targeted(const Value& fleet, const Cluster& cluster, Diagnostics& diagnostics) {
    const Value* targets = fleet.find("overrideTargets");
    if (targets == nullptr || targets->is_null()) {
        return true;
    }
    if (targets->size() == 0) {
        diagnostics
            .error(kUnknownCluster, targets->pos(),
                   "with \"overrideTargets\" without a target Fleet uses the customizations, "
                   "else the cluster group \"default\"")
            .found("an empty list")
            .expected("a list of targets, or no \"overrideTargets\" for those of the GitRepo")
            .hint("name the clusters, or remove the line");
        return false;
    }
    const Value* unknown = nullptr;
    for (const Value& target : targets->items()) {
        const Match matched = match(target, cluster, diagnostics);
        if (matched == Match::Yes) {
            return true;
        }
        if (matched == Match::Unknown && unknown == nullptr) {
            unknown = &target;
        }
    }
    if (unknown != nullptr) {
        report_unknown(*unknown, "target", cluster, diagnostics);
    }
    return false;
}

}  // namespace renderer::engines
