#include "renderer/cli/diff_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/access/compare.h"
#include "renderer/access/read_policy.h"
#include "renderer/access/selectors.h"
#include "renderer/base/printable.h"
#include "renderer/cli/access_devices.h"
#include "renderer/cli/gates.h"
#include "renderer/policy/additions.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {
namespace {

struct NamedPolicy {
    std::string path;      // "" if none is named
    bool on_disk = false;  // whatever the side's tree is
};

NamedPolicy policy_of(const Options& options, const ReadSide& side, const Run* first) {
    const DiffPolicies& flags = options.diff_policies;
    const std::string& own = side.what == "BASE" ? flags.base : flags.head;
    if (!own.empty()) {
        return {own, true};
    }
    if (!flags.file.empty()) {
        return {repo::normal_path(repo::join_path(side.path, flags.file))};
    }
    return first == nullptr ? NamedPolicy() : NamedPolicy{first->loaded.policy_file.path};
}

std::string_view section_of(policy::NeedKind kind) {
    return kind == policy::NeedKind::TagOwner ? "tagOwners"
           : kind == policy::NeedKind::Funnel ? "nodeAttrs"
                                              : "autoApprovers";
}

const access::Cluster* find_cluster(const AccessSide& side, const std::string& name, bool is_one) {
    if (is_one) {
        return &side.clusters.front();
    }
    const auto found = std::ranges::find(side.clusters, name, &access::Cluster::name);
    return found == side.clusters.end() ? nullptr : &*found;
}

Diagnostic unknown_who(const std::string& who, std::string_view expected) {
    return {.rule = "usage",
            .where = "--fail-on",
            .message = "the policy knows no such name",
            .found = fmt::format("\"{}{}\"", kGainsGate, who),
            .expected = std::string(expected)};
}

// Names that only one side has are known as well.
Result<access::Selector> selector_of(const std::string& who, const AccessSide& base,
                                     const AccessSide& head) {
    auto parsed = access::SelectorReader(*head.file->root).parse(who);
    if (!parsed.selector) {
        parsed = access::SelectorReader(*base.file->root).parse(who);
    }
    return parsed.selector ? Result<access::Selector>(std::move(*parsed.selector))
                           : Error{unknown_who(who, parsed.expected)};
}

std::string gained_text(const access::Change& change) {
    std::string who = change.who.front().selector.text;
    if (change.who.size() > 1) {
        who += fmt::format(" and {} more", change.who.size() - 1);
    }
    const std::string what = some_of(change.what, 1);
    const std::string as =
        change.roles.empty() ? "" : fmt::format(" as {}", fmt::join(change.roles, ", "));
    return on_one_line(
        fmt::format("{} {} {}{}", who, change.is_certain ? "gains" : "may gain", what, as));
}

}  // namespace

void AccessSideReader::read_policy(const Run* first) {
    has_begun_ = true;
    const NamedPolicy named = policy_of(options_, side_, first);
    read_.is_named = !named.path.empty();
    if (!read_.is_named) {
        read_.missing = fmt::format("{} names no policy file", side_.what);
        return;
    }
    if (side_.is_rendered) {
        read_.missing = fmt::format(
            "{} is a rendered tree, which does not say all that its sources do", side_.what);
        return;
    }
    if (!named.on_disk && side_.tree.kind(named.path) != repo::EntryKind::File) {
        read_.missing = fmt::format("{} has no \"{}\"", side_.what, named.path);
        return;
    }
    Run& run = policy_run_.emplace();
    read_.file = named.on_disk ? read_policy_file(named.path, run)
                               : read_policy_file(side_.tree, named.path, run);
    if (read_.file) {
        read_.policy = access::read_policy(*read_.file->root, run.loaded.sources,
                                           read_.file->source, run.diagnostics);
    }
    if (!read_.policy) {
        read_.is_broken = true;
        read_.missing =
            fmt::format("the policy of {} cannot be read: \"{}\"", side_.what, named.path);
    }
}

void AccessSideReader::add(const Run& run, const diff::ClusterTree& tree) {
    if (!has_begun_) {
        read_policy(&run);
    }
    if (read_.policy) {
        read_.clusters.push_back(
            read_cluster(run, {.cluster = tree.cluster, .files = tree.files, .facts = tree.facts},
                         read_.file->sections, options_.policy.tailnet));
        add_needs(run);
    }
}

// Finds what the policy lacks; for Funnel, in each cluster.
void AccessSideReader::add_needs(const Run& run) {
    policy::Needs of_cluster;
    for (policy::Needs* needs : {&needs_, &of_cluster}) {
        policy::add_needs(run.plan, run.loaded.sources, options_.policy.tailnet, *needs);
    }
    for (const policy::Need* need : policy::missing_needs(read_.file->sections, of_cluster)) {
        if (need->kind == policy::NeedKind::Funnel) {
            for (const policy::Reason& reason : need->reasons) {
                funnel_needs_.push_back({run.loaded.cluster, reason.object, text_of(*need)});
            }
        }
    }
}

std::string AccessSideReader::text_of(const policy::Need& need) const {
    return fmt::format("{}: {}", section_of(need.kind),
                       policy::addition_text(read_.file->sections, need));
}

AccessSide AccessSideReader::finish(ClusterRuns& runs) {
    if (!has_begun_) {
        read_policy(nullptr);
    }
    if (policy_run_) {
        read_.sources = &runs.all().emplace_back(std::move(*policy_run_)).loaded.sources;
    }
    if (read_.policy) {
        for (const policy::Need* need : policy::missing_needs(read_.file->sections, needs_)) {
            read_.lacking.push_back(text_of(*need));
        }
    }
    for (const FunnelNeed& need : funnel_needs_) {
        read_.no_funnel.emplace(diff::key_of_funnel(need.cluster, need.parent), need.entry);
        if (read_.clusters.size() == 1) {
            read_.no_funnel.emplace(diff::key_of_funnel("", need.parent), need.entry);
        }
    }
    return std::move(read_);
}

Result<Unit> check_access(const Options& options, const AccessSide& base, const AccessSide& head) {
    if (!base.is_named && !head.is_named && !options.fail_on_gains.empty()) {
        return Error{{.rule = "usage",
                      .where = "--fail-on",
                      .message = "who gains what is not known without a policy",
                      .found = fmt::format("\"{}{}\"", kGainsGate, options.fail_on_gains.front()),
                      .expected = "--policy FILE, or \"policy: FILE\" in .tailrender.yaml"}};
    }
    const bool is_nowhere = base.is_named && head.is_named && !base.is_ready() &&
                            !head.is_ready() && !base.is_broken && !head.is_broken;
    if (is_nowhere && !options.diff_policies.file.empty()) {
        return Error{{.rule = "usage",
                      .where = "--policy",
                      .message = "neither side has the policy file",
                      .found = fmt::format("{}; {}", base.missing, head.missing),
                      .expected = "a file below BASE and below HEAD"}};
    }
    if (base.is_ready() && head.is_ready()) {
        for (const std::string& who : options.fail_on_gains) {
            TRY(selector_of(who, base, head));
        }
    }
    return Unit{};
}

void compare_access(const AccessSide& base, const AccessSide& head, diff::Comparison& comparison) {
    if (!base.is_named && !head.is_named) {
        return;
    }
    diff::AccessComparison& access = comparison.access.emplace();
    if (!base.is_ready() || !head.is_ready()) {
        access.not_compared = base.is_ready()   ? head.missing
                              : head.is_ready() ? base.missing
                                                : fmt::format("{}; {}", base.missing, head.missing);
        return;
    }
    const auto text_of = [](const AccessSide& side) {
        return access::PolicyText{*side.file->root, side.sources->text(side.file->source),
                                  *side.policy};
    };
    access.unjudged = access::unjudged_differences(text_of(base), text_of(head));
    std::ranges::copy_if(head.lacking, std::back_inserter(access.lacking),
                         [&](const std::string& entry) {
                             return std::ranges::find(base.lacking, entry) == base.lacking.end();
                         });
    access.no_funnel = head.no_funnel;
    access::Evaluator before(*base.policy);
    access::Evaluator after(*head.policy);
    const bool is_one =
        comparison.clusters.size() == 1 && base.clusters.size() == 1 && head.clusters.size() == 1;
    const access::Cluster none;
    for (diff::ClusterComparison& cluster : comparison.clusters) {
        const access::Cluster* const old = find_cluster(base, cluster.cluster, is_one);
        const access::Cluster* const now = find_cluster(head, cluster.cluster, is_one);
        cluster.access = access::compare_access(
            old == nullptr ? none : *old, {*base.policy, before, *base.sources},
            now == nullptr ? none : *now, {*head.policy, after, *head.sources},
            cluster.objects.renames);
    }
}

std::vector<Diagnostic> failed_gains(const Options& options, const AccessSide& base,
                                     const AccessSide& head, const diff::Comparison& comparison) {
    std::vector<Diagnostic> failed;
    for (const std::string& who : options.fail_on_gains) {
        const std::string word = fmt::format("{}{}", kGainsGate, who);
        if (!base.is_ready() || !head.is_ready()) {
            failed.push_back(gate_error(word, "", "who gains what is not compared"));
            failed.back().found = comparison.access->not_compared;
            continue;
        }
        const Result<access::Selector> selector = selector_of(who, base, head);
        const auto add_unknown = [&](const std::string& found) {
            failed.push_back(gate_error(
                word, "", fmt::format("it is not known whether \"{}\" may reach more", who)));
            failed.back().found = found;
        };
        std::ranges::for_each(comparison.access->unjudged, add_unknown);
        for (const diff::ClusterComparison& cluster : comparison.clusters) {
            std::ranges::for_each(cluster.access.unknown_gained, add_unknown);
            for (const access::Change& change : cluster.access.changes) {
                if (change.gains && access::concerns(change, *selector, *head.policy)) {
                    Diagnostic error =
                        gate_error(word, "", fmt::format("\"{}\" may reach more", who));
                    error.found = gained_text(change);
                    error.expected = "no more than before";
                    if (!cluster.cluster.empty()) {
                        error.message +=
                            fmt::format(", in cluster \"{}\"", on_one_line(cluster.cluster));
                    }
                    failed.push_back(std::move(error));
                }
            }
        }
    }
    return failed;
}

}  // namespace renderer::cli
