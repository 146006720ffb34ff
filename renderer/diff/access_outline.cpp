#include "renderer/diff/access_outline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "renderer/base/printable.h"

namespace renderer::diff {
namespace {

using access::Change;
using Names = std::vector<std::string>;

constexpr std::size_t kNamedPlaces = 8;
constexpr std::size_t kNamedOthers = 3;

std::string some_codes(const Names& names, std::size_t most) {
    Names codes;
    std::ranges::transform(names, std::back_inserter(codes), code);
    return some_of(codes, most);
}

std::string who_of(const access::Who& who) {
    const std::string& text = who.selector.text;
    if (!who.members.empty()) {
        return fmt::format("{} of {}", some_codes(who.members, kNamedOthers), code(text));
    }
    if (text == access::kInternet) {
        return "anyone on the internet";
    }
    return text == "*" || text == "autogroup:danger-all" ? "everyone" : code(text);
}

std::string subject_of(const Change& change) {
    Names names;
    std::ranges::transform(change.who, std::back_inserter(names), who_of);
    return some_of(names, kNamedOthers);
}

std::string verb_of(const Change& change) {
    const bool is_one = change.who.size() == 1 && change.who.front().members.size() < 2;
    const std::string verb = change.gains ? "gain" : "lose";
    return !change.is_certain ? "may " + verb : is_one ? verb + "s" : verb;
}

std::string condition_of(const Change& change) {
    std::string text;
    if (!change.parts.empty()) {
        text += fmt::format(" ({})", some_codes(change.parts, kNamedOthers));
    }
    if (!change.postures.empty()) {
        Names postures;
        std::ranges::transform(change.postures, std::back_inserter(postures), code);
        text += fmt::format(" if {}", fmt::join(postures, " or "));
    }
    return change.needs_approval ? text + ", once it is approved" : text;
}

std::string line_text(const Change& change) {
    const std::string what = some_codes(change.what, kNamedPlaces);
    const std::string who = subject_of(change);
    switch (change.kind) {
        case Change::Kind::Reach:
            break;
        case Change::Kind::Kubernetes:
            return fmt::format("{} {} the Kubernetes API as {}{}, through {}", who, verb_of(change),
                               some_codes(change.roles, kNamedOthers), condition_of(change), what);
        case Change::Kind::Recording:
            return fmt::format("sessions of {} in the Kubernetes API through {}: {} -> {}", who,
                               what, code(change.before), code(change.after));
        case Change::Kind::Egress:
            return fmt::format("{} {} {} in the tailnet", who, verb_of(change), what);
        case Change::Kind::Approval:
            return fmt::format(
                "{}: {}", what,
                change.gains ? "approved by the policy"
                             : "no longer approved by the policy: an admin has to approve it");
    }
    return fmt::format("{} {} {}{}", who, verb_of(change), what, condition_of(change));
}

OutlineLine line_of(const Change& change) {
    const bool is_state =
        change.kind == Change::Kind::Recording || change.kind == Change::Kind::Approval;
    const bool is_public = change.gains && change.concerns_internet();
    OutlineLine line{is_public      ? '!'
                     : is_state     ? '~'
                     : change.gains ? '+'
                                    : '-',
                     line_text(change),
                     {}};
    if (!change.others.empty()) {
        line.details.push_back(fmt::format("{}: {}", change.gains ? "before" : "still",
                                           some_codes(change.others, kNamedOthers)));
    }
    if (!change.rules.empty()) {
        line.details.push_back(fmt::format("{}: {}", change.gains ? "by" : "was by",
                                           some_codes(change.rules, kNamedOthers)));
    }
    return line;
}

void add_unknown(const Names& rules, bool gains, OutlineSection& section) {
    if (!rules.empty()) {
        section.lines.push_back(
            {'~',
             fmt::format("{} for addresses of single devices; which devices have them is not known "
                         "before they join",
                         gains ? "new rules" : "rules are removed"),
             {some_codes(rules, kNamedPlaces)}});
    }
}

}  // namespace

OutlineSection access_section(const access::Changes& changes, const std::string& suffix) {
    OutlineSection section;
    std::size_t gains = 0;
    std::size_t losses = 0;
    for (const Change& change : changes.changes) {
        section.lines.push_back(line_of(change));
        gains += section.lines.back().mark == '-' || section.lines.back().mark == '~' ? 0 : 1;
        losses += section.lines.back().mark == '-' ? 1 : 0;
    }
    add_unknown(changes.unknown_gained, true, section);
    add_unknown(changes.unknown_lost, false, section);
    section.title = fmt::format("Who reaches what{}: {} gained, {} lost", suffix, gains, losses);
    return section;
}

OutlineSection access_notes(const AccessComparison& access) {
    OutlineSection section;
    section.title = "Who reaches what";
    if (!access.not_compared.empty()) {
        section.title += " is not compared";
        section.lines.push_back({'!', code(access.not_compared), {}});
    }
    if (!access.unjudged.empty()) {
        section.lines.push_back({'!',
                                 fmt::format("the policy differs in {}, which is not judged",
                                             some_codes(access.unjudged, kNamedPlaces)),
                                 {}});
    }
    return section;
}

OutlineSection lacking_section(const AccessComparison& access) {
    OutlineSection section;
    section.title = "Needed in the tailnet policy before this works";
    for (const std::string& entry : access.lacking) {
        section.lines.push_back({'!', code(entry), {}});
    }
    return section;
}

}  // namespace renderer::diff
