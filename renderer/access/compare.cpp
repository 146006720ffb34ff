#include "renderer/access/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "renderer/access/coverage.h"
#include "renderer/access/difference.h"
#include "renderer/access/pairs.h"

namespace renderer::access {
namespace {

using ChangeKind = Change::Kind;
const std::vector<Access> kNoAccess;

void sort_texts(std::vector<std::string>& all) {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
}

class Comparer {
public:
    Comparer(const Side& base, const Side& head) : base_(base), head_(head) {}

    void compare(const DevicePair& pair) {
        static const std::vector<Endpoint> none;
        for (const auto& [before, after] :
             pair_by_key(pair.before == nullptr ? none : pair.before->endpoints,
                         pair.after == nullptr ? none : pair.after->endpoints,
                         [](const Endpoint& endpoint) { return endpoint.label; })) {
            compare(pair, before, after);
        }
        compare_roles(pair);
    }

    void compare_egress(const Cluster& before, const Cluster& after) {
        const auto parent_and_target = [](const Egress& egress) {
            return std::pair(egress.parent, egress.target);
        };
        for (const auto& [old, now] : pair_by_key(before.egress, after.egress, parent_and_target)) {
            const Match was = old == nullptr ? Match::No : base_.evaluator.may_leave(*old);
            const Match is = now == nullptr ? Match::No : head_.evaluator.may_leave(*now);
            if (was == is) {
                continue;
            }
            const Egress& one = is > was ? *now : *old;
            Change change{
                .kind = ChangeKind::Egress,
                .gains = is > was,
                .is_certain = std::min(was, is) == Match::No && std::max(was, is) != Match::Unknown,
                .what = {one.target}};
            change.who.push_back({.selector = {.kind = SelectorKind::Tag, .text = one.parent}});
            changes_.push_back(std::move(change));
        }
    }

    Changes finish() {
        Changes result{.changes = summed_up(), .unknown_gained = {}, .unknown_lost = {}};
        const std::set<std::string> before = keys_of(unknown_before_);
        const std::set<std::string> after = keys_of(unknown_after_);
        for (const Rule* rule : unknown_after_.all()) {
            if (!before.contains(key_of(*rule))) {
                result.unknown_gained.push_back(rule_text(*rule, head_.sources));
            }
        }
        for (const Rule* rule : unknown_before_.all()) {
            if (!after.contains(key_of(*rule))) {
                result.unknown_lost.push_back(rule_text(*rule, base_.sources));
            }
        }
        return result;
    }

private:
    // Endpoints with the same rules on both sides have the same differences.
    using Known = std::map<std::pair<const void*, const void*>, std::vector<Change>>;

    void compare(const DevicePair& pair, const Endpoint* before, const Endpoint* after) {
        const std::vector<Access>& old =
            before == nullptr ? kNoAccess : base_.evaluator.who_reaches(*pair.before, *before);
        const std::vector<Access>& now =
            after == nullptr ? kNoAccess : head_.evaluator.who_reaches(*pair.after, *after);
        if (before != nullptr) {
            unknown_before_.add(base_.evaluator.unknown_rules(*before));
        }
        if (after != nullptr) {
            unknown_after_.add(head_.evaluator.unknown_rules(*after));
        }
        const Device& device = after == nullptr ? *pair.before : *pair.after;
        const Endpoint& endpoint = after == nullptr ? *before : *after;
        const std::string name = fmt::format("{}:{}", device.name, endpoint.label);
        const auto [place, is_new] = known_.try_emplace({&old, &now});
        if (is_new) {
            const Allowed base{base_.policy, old};
            const Allowed head{head_.policy, now};
            place->second = differences_.find(base, head, endpoint, true, head_.sources);
            std::vector<Change> lost =
                differences_.find(head, base, endpoint, false, base_.sources);
            std::ranges::move(lost, std::back_inserter(place->second));
        }
        for (const Change& change : place->second) {
            add(change, name, change.gains && !endpoint.is_approved);
        }
        if (before != nullptr && after != nullptr && before->is_approved != after->is_approved) {
            add({.kind = ChangeKind::Approval, .gains = after->is_approved}, name, false);
        }
    }

    void compare_roles(const DevicePair& pair) {
        const std::vector<Role> old =
            pair.before == nullptr ? std::vector<Role>() : base_.evaluator.roles(*pair.before);
        const std::vector<Role> now =
            pair.after == nullptr ? std::vector<Role>() : head_.evaluator.roles(*pair.after);
        const std::string& name = (pair.after == nullptr ? pair.before : pair.after)->name;
        add_roles(old, base_.policy, now, head_, true, name);
        add_roles(now, head_.policy, old, base_, false, name);
        add_recordings(old, now, name);
    }

    void add_roles(const std::vector<Role>& from, const Policy& policy, const std::vector<Role>& to,
                   const Side& side, bool gains, const std::string& name) {
        for (const Role& role : to) {
            std::map<std::vector<std::string>, std::vector<std::string>> by_members;
            const std::vector<Selector> atoms = atoms_of(*role.who, side.policy);
            bool is_certain = true;
            for (const std::string& group : role.groups) {
                std::vector<std::string> missing;
                for (const Selector& atom : atoms) {
                    const Match match = has_role(from, policy, atom, role, group);
                    if (match != Match::Yes) {
                        missing.push_back(atom.text);
                        is_certain = is_certain && match == Match::No;
                    }
                }
                if (!missing.empty()) {
                    by_members[missing].push_back(group);
                }
            }
            for (const auto& [members, groups] : by_members) {
                const bool is_all = members.size() == atoms.size();
                add({.kind = ChangeKind::Kubernetes,
                     .gains = gains,
                     .is_certain = is_certain,
                     .who = {{.selector = *role.who,
                              .members = is_all ? std::vector<std::string>() : members}},
                     .postures = role.postures,
                     .roles = groups,
                     .rules = rule_texts(role.rules, side.sources)},
                    name, false);
            }
        }
    }

    static Match has_role(const std::vector<Role>& roles, const Policy& policy,
                          const Selector& atom, const Role& wanted, const std::string& group) {
        Match best = Match::No;
        for (const Role& role : roles) {
            if (std::ranges::find(role.groups, group) == role.groups.end()) {
                continue;
            }
            const Match match = means(*role.who, atom, policy);
            const bool is_met = is_condition_met(role.postures, wanted.postures);
            best = std::max(best, is_met ? match : std::min(match, Match::Unknown));
        }
        return best == Match::Part ? Match::No : best;
    }

    static std::string recording_of(const Role& role) {
        if (role.recorders.empty()) {
            return "not recorded";
        }
        return fmt::format("recorded by {}{}", fmt::join(role.recorders, ", "),
                           role.enforces_recorder ? " or refused" : "");
    }

    void add_recordings(const std::vector<Role>& old, const std::vector<Role>& now,
                        const std::string& name) {
        for (const Role& role : now) {
            const auto same = std::ranges::find_if(old, [&](const Role& one) {
                return one.who->text == role.who->text && one.postures == role.postures;
            });
            if (same != old.end() && recording_of(*same) != recording_of(role)) {
                add({.kind = ChangeKind::Recording,
                     .who = {{.selector = *role.who}},
                     .postures = role.postures,
                     .before = recording_of(*same),
                     .after = recording_of(role),
                     .rules = rule_texts(role.rules, head_.sources)},
                    name, false);
            }
        }
    }

    void add(Change change, const std::string& name, bool needs_approval) {
        change.needs_approval = needs_approval;
        change.what = {name};
        changes_.push_back(std::move(change));
    }

    static std::set<std::string> keys_of(const UnknownRules& rules) {
        std::set<std::string> keys;
        for (const Rule* rule : rules.all()) {
            keys.insert(key_of(*rule));
        }
        return keys;
    }

    static std::string key_of(const Rule& rule) {
        std::vector<std::string> words;
        for (const Selector& source : rule.sources) {
            words.push_back(source.text);
        }
        for (const Destination& destination : rule.destinations) {
            words.push_back(">" + destination.selector.text);
            words.push_back(destination.selector.addresses.key());
            for (const Traffic& traffic : destination.traffic) {
                words.push_back(traffic_text(traffic));
            }
        }
        sort_texts(words);
        return fmt::format("{} if {} via {}", fmt::join(words, " "), fmt::join(rule.postures, " "),
                           fmt::join(rule.via, " "));
    }

    static auto likeness_of(const Change& change) {
        return std::tuple(!change.concerns_internet(), change.kind, !change.gains,
                          !change.is_certain, change.parts, change.postures, change.roles,
                          change.others, change.before, change.after, change.needs_approval);
    }

    static std::vector<std::string> names_of(const std::vector<Who>& all) {
        std::vector<std::string> names;
        names.reserve(all.size());
        for (const Who& who : all) {
            names.push_back(fmt::format("{} {}", who.selector.text, fmt::join(who.members, " ")));
        }
        return names;
    }

    static void add_rules(const Change& from, Change& to) {
        to.rules.insert(to.rules.end(), from.rules.begin(), from.rules.end());
        sort_texts(to.rules);
    }

    // Joins what the same ones gain, then those who gain the same.
    std::vector<Change> summed_up() {
        std::map<std::pair<decltype(likeness_of({})), std::vector<std::string>>, Change> by_who;
        for (Change& change : changes_) {
            const auto [place, is_new] =
                by_who.try_emplace({likeness_of(change), names_of(change.who)}, change);
            if (!is_new) {
                place->second.what.push_back(std::move(change.what.front()));
                add_rules(change, place->second);
            }
        }
        std::map<std::pair<decltype(likeness_of({})), std::vector<std::string>>, Change> by_what;
        for (auto& [key, change] : by_who) {
            sort_texts(change.what);
            const auto [place, is_new] =
                by_what.try_emplace({key.first, change.what}, std::move(change));
            if (!is_new) {
                std::ranges::move(change.who, std::back_inserter(place->second.who));
                add_rules(change, place->second);
            }
        }
        std::vector<Change> all;
        all.reserve(by_what.size());
        for (auto& [key, change] : by_what) {
            all.push_back(std::move(change));
        }
        return all;
    }

    const Side &base_, &head_;
    Known known_;
    Differences differences_;
    std::vector<Change> changes_;
    UnknownRules unknown_before_, unknown_after_;
};

// Returns the value without comments and blanks.
std::string plain(const policy::Node* node, std::string_view file) {
    if (node == nullptr) {
        return {};
    }
    const bool is_simple = !node->is_list() && !node->is_map();
    std::string text = fmt::format("{}:{}", static_cast<int>(node->kind), node->text);
    if (is_simple && !node->is_string()) {
        text += file.substr(node->begin, node->end - node->begin);
    }
    for (const policy::Entry& entry : node->entries) {
        text += fmt::format("[{}={}]", entry.key.text, plain(&entry.value, file));
    }
    return text;
}

}  // namespace

Changes compare_access(const Cluster& before, const Side& base, const Cluster& after,
                       const Side& head,
                       const std::vector<std::pair<std::string, std::string>>& renames) {
    Comparer comparer(base, head);
    for (const DevicePair& pair : pair_devices(before.devices, after.devices, renames)) {
        comparer.compare(pair);
    }
    comparer.compare_egress(before, after);
    return comparer.finish();
}

std::vector<std::string> unjudged_differences(const PolicyText& base, const PolicyText& head) {
    std::vector<std::string> names = {"ssh"};
    for (const Policy* policy : {&base.policy, &head.policy}) {
        names.insert(names.end(), policy->unknown_sections.begin(), policy->unknown_sections.end());
    }
    sort_texts(names);
    std::erase_if(names, [&](const std::string& name) {
        return plain(base.root.find_any_case(name), base.text) ==
               plain(head.root.find_any_case(name), head.text);
    });
    const policy::Node* const old = base.root.find_any_case("postures");
    const policy::Node* const now = head.root.find_any_case("postures");
    if (old != nullptr && now != nullptr) {
        for (const policy::Entry& entry : now->entries) {
            const policy::Node* const same = old->find(entry.key.text);
            if (same != nullptr && plain(same, base.text) != plain(&entry.value, head.text)) {
                names.push_back(entry.key.text);
            }
        }
    }
    return names;
}

bool concerns(const Change& change, const Selector& who, const Policy& policy) {
    if (change.kind != ChangeKind::Reach && change.kind != ChangeKind::Kubernetes) {
        return false;
    }
    return std::ranges::any_of(change.who, [&](const Who& one) {
        if (one.selector.text == kInternet || who.text == kInternet) {
            return one.selector.text == who.text;
        }
        if (one.members.empty()) {
            return means(one.selector, who, policy) != Match::No ||
                   means(who, one.selector, policy) != Match::No;
        }
        return std::ranges::any_of(one.members, [&](const std::string& member) {
            return means(who, {.kind = SelectorKind::User, .text = member}, policy) != Match::No;
        });
    });
}

}  // namespace renderer::access
