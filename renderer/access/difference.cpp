#include "renderer/access/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace renderer::access {
namespace {

constexpr std::uint32_t kMayHaveChanged = 0, kNoPostures = 0;

// True for selectors that mean many, some of whom may have had it before.
bool is_wide(const Selector& who) {
    return who.kind == SelectorKind::Everything || who.kind == SelectorKind::AutoGroup ||
           who.kind == SelectorKind::Domain || who.kind == SelectorKind::Addresses;
}

class OneDifference {
public:
    OneDifference(Allowed from, Allowed to, const Endpoint& endpoint, bool gains,
                  const SourceMap& sources)
        : from_(from), to_(to), endpoint_(endpoint), gains_(gains), sources_(sources) {}

    // Compares `access` of `to` with all that `from` has.
    void add(const Access& access) {
        std::vector<std::string> missing;
        bool is_certain = access.match != Match::Unknown;
        const std::vector<Selector> atoms = atoms_of(*access.who, to_.policy);
        for (const Selector& atom : atoms) {
            const Match match = covers(from_, atom, access, endpoint_);
            if (match != Match::Yes) {
                missing.push_back(atom.text);
                is_certain = is_certain && match == Match::No;
            }
        }
        if (missing.empty()) {
            return;
        }
        Change change{.gains = gains_,
                      .is_certain = is_certain,
                      .who = {{.selector = *access.who}},
                      .parts = access.parts,
                      .postures = access.postures,
                      .others = others(*access.who),
                      .rules = rule_texts(access.rules, sources_)};
        if (missing.size() < atoms.size()) {
            change.who.front().members = std::move(missing);
        }
        found_.push_back(std::move(change));
    }

    std::vector<Change> finish() {
        drop_implied();
        return std::move(found_);
    }

private:
    // Returns who of `who` the other side allows some of it.
    [[nodiscard]] std::vector<std::string> others(const Selector& who) const {
        std::vector<std::string> texts;
        for (const Access& access : from_.access) {
            const bool is_same = access.who->text == who.text;
            if (is_same ? !access.parts.empty() || !access.postures.empty()
                        : is_wide(who) && means(who, *access.who, to_.policy) == Match::Yes) {
                texts.push_back(who_text(access.who->text, access.parts, access.postures));
            }
        }
        return texts;
    }

    // If everyone gains it, no one else has to be named.
    void drop_implied() {
        std::vector<Selector> wide;
        for (const Change& change : found_) {
            if (is_wide(change.who.front().selector) && change.is_certain && change.parts.empty() &&
                change.postures.empty()) {
                wide.push_back(change.who.front().selector);
            }
        }
        std::erase_if(found_, [&](const Change& change) {
            const Selector& who = change.who.front().selector;
            return std::ranges::any_of(wide, [&](const Selector& one) {
                const bool is_wider = !is_wide(who) || one.text == "*";
                return is_wider && one.text != who.text && one.text != kInternet &&
                       means(one, who, to_.policy) == Match::Yes;
            });
        });
    }

    Allowed from_, to_;
    const Endpoint& endpoint_;
    bool gains_;
    const SourceMap& sources_;
    std::vector<Change> found_;
};

}  // namespace

std::vector<Change> Differences::find(const Allowed& from, const Allowed& to,
                                      const Endpoint& endpoint, bool gains,
                                      const SourceMap& sources) {
    const std::vector<const Access*> others = without_the_same(from, to);
    if (others.empty()) {
        return {};
    }
    std::vector<Identity> known;
    known.reserve(from.access.size());
    for (const Access& access : from.access) {
        if (const std::optional<Identity> identity = identity_of(access, from.policy)) {
            known.push_back(*identity);
        }
    }
    std::ranges::sort(known);
    OneDifference difference(from, to, endpoint, gains, sources);
    for (const Access* access : others) {
        const std::optional<Identity> identity = identity_of(*access, to.policy);
        if (!identity || !std::ranges::binary_search(known, *identity)) {
            difference.add(*access);
        }
    }
    return difference.finish();
}

std::vector<const Access*> Differences::without_the_same(const Allowed& from, const Allowed& to) {
    std::vector<const Access*> others;
    auto known = from.access.begin();
    for (const Access& access : to.access) {
        while (known != from.access.end() && key_of(*known) < key_of(access)) {
            ++known;
        }
        const bool is_same = known != from.access.end() && key_of(*known) == key_of(access) &&
                             known->match == access.match && known->parts.empty() &&
                             access.parts.empty() &&
                             has_same_members(*access.who, from.policy, to.policy);
        if (!is_same) {
            others.push_back(&access);
        }
    }
    return others;
}

bool Differences::has_same_members(const Selector& who, const Policy& one, const Policy& two) {
    if (who.kind != SelectorKind::Group) {
        return who.kind != SelectorKind::Addresses;
    }
    const auto [place, is_new] = same_groups_.try_emplace(who.text, false);
    if (is_new) {
        place->second = members_of(who, one) == members_of(who, two);
    }
    return place->second;
}

std::optional<Differences::Identity> Differences::identity_of(const Access& access,
                                                              const Policy& policy) {
    if (!access.parts.empty()) {
        return std::nullopt;
    }
    const std::uint32_t members = members_of(*access.who, policy);
    if (members == kMayHaveChanged) {
        return std::nullopt;
    }
    return Identity{
        .match = access.match,
        .members = members,
        .postures = access.postures.empty()
                        ? kNoPostures
                        : number_of(fmt::format("{}", fmt::join(access.postures, " ")))};
}

std::uint32_t Differences::members_of(const Selector& who, const Policy& policy) {
    const auto [place, is_new] = members_.try_emplace({&policy, who.text}, kMayHaveChanged);
    if (is_new && who.kind != SelectorKind::Addresses) {
        std::vector<std::string> members;
        for (const Selector& atom : atoms_of(who, policy)) {
            members.push_back(atom.text);
        }
        place->second = number_of(fmt::format("{}", fmt::join(members, " ")));
    }
    return place->second;
}

std::uint32_t Differences::number_of(const std::string& text) {
    const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
    return numbers_.try_emplace(text, next).first->second;
}

std::vector<std::string> rule_texts(const std::vector<const Rule*>& rules,
                                    const SourceMap& sources) {
    std::vector<std::string> texts;
    texts.reserve(rules.size());
    for (const Rule* rule : rules) {
        texts.push_back(rule_text(*rule, sources));
    }
    return texts;
}

}  // namespace renderer::access
