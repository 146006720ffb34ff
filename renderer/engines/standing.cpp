#include "renderer/engines/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

std::vector<std::string_view> names_in(std::string_view unit) {
    std::vector<std::string_view> names;
    while (!unit.empty()) {
        const std::size_t at = unit.find(kAbove);
        names.push_back(unit.substr(0, at));
        unit.remove_prefix(at == std::string_view::npos ? unit.size() : at + kAbove.size());
    }
    return names;
}

int rank_of(Liveness liveness) {
    switch (liveness) {
        case Liveness::Broken:
        case Liveness::Unknown:
            return 3;
        case Liveness::Kept:
            return 2;
        case Liveness::Applied:
            return 1;
        case Liveness::Absent:
            return 0;
    }
    return 0;
}

// Several standings may have one name, such as sources of an Application: the least certain counts.
std::pair<int, int> certainty(const Standing& standing) {
    return {-rank_of(standing.liveness), standing.reason.empty() ? 1 : 0};
}

// True if the unit is known to be of another cluster.
bool is_elsewhere(const Standing& standing, std::string_view cluster) {
    return !cluster.empty() && !standing.cluster.empty() && standing.cluster != cluster;
}

const Standing* find(const Standings& standings, std::string_view name, std::string_view cluster) {
    const Standing* found = nullptr;
    for (const Standing& one : standings.all) {
        if (one.name == name && !is_elsewhere(one, cluster) &&
            (found == nullptr || certainty(one) < certainty(*found))) {
            found = &one;
        }
    }
    return found;
}

// A plain tree has no units: what fails there is the build of a kustomization.
std::string_view subject_of(const Standing& standing) {
    return standing.name.empty() ? std::string_view("a kustomization") : standing.name;
}

std::string not_known(const Standing& standing) {
    return fmt::format("the objects of {} are not known: {}", subject_of(standing),
                       standing.reason);
}

std::string told(const Standing& standing) {
    switch (standing.liveness) {
        case Liveness::Applied:
            return standing.reason.empty() ? std::string(subject_of(standing))
                                           : not_known(standing);
        case Liveness::Kept:
            return fmt::format("{} is kept: {}", subject_of(standing), standing.reason);
        case Liveness::Absent:
            return fmt::format("{} is not applied from here: {}", subject_of(standing),
                               standing.reason);
        case Liveness::Broken:
            return fmt::format("{} applies nothing: {}", subject_of(standing), standing.reason);
        case Liveness::Unknown:
            return not_known(standing);
    }
    return std::string(subject_of(standing));
}

// True if a key has a wanted value, also in text that is not valid YAML or JSON.
bool says_value(std::string_view text, std::string_view key,
                const std::function<bool(std::string_view)>& is_wanted) {
    constexpr std::string_view kAround = " \"':";
    for (std::size_t at = text.find(key); at != std::string_view::npos;
         at = text.find(key, at + 1)) {
        const std::string_view rest = text.substr(at + key.size());
        const std::size_t begin = std::min(rest.find_first_not_of(kAround), rest.size());
        const std::string_view value = rest.substr(begin);
        if (begin > 0 && is_wanted(value.substr(0, value.find_first_of(" \"',}\r\n")))) {
            return true;
        }
    }
    return false;
}

bool says_name(std::string_view text, std::string_view name) {
    return says_value(text, "name", [&](std::string_view value) { return value == name; });
}

// True if a file that nothing applies may have had one of these units, or has a set.
bool may_be_of(const Standing& file, const std::vector<std::string_view>& names,
               const repo::InventoryDevice& device) {
    const std::string_view text = file.text;
    const std::string_view parent = device.parent;
    if (file.is_hidden && says_name(text, parent.substr(parent.rfind('/') + 1))) {
        return true;
    }
    // A release has no file: any Application, anywhere, may create it.
    return (device.source.starts_with(kHelmTemplate) || says_path_of(text, device.source)) &&
           (text.find("ApplicationSet") != std::string_view::npos ||
            text.find("ResourceSet") != std::string_view::npos ||
            std::ranges::any_of(names, [&](std::string_view name) {
                return says_name(text, name.substr(name.find_last_of(" /") + 1));
            }));
}

// Returns a release of the device's own unit that may now make it, if there is one.
std::optional<std::string> maker(const Standings& standings, const repo::InventoryDevice& device) {
    const auto found = std::ranges::find_if(standings.all, [&](const Standing& one) {
        return one.is_release && !one.unit.empty() && one.unit == device.unit;
    });
    return found == standings.all.end() ? std::nullopt : std::optional(not_known(*found));
}

// True if the text has the name, which is not a part of a longer one.
bool has_name(std::string_view text, std::string_view name) {
    const auto is_part = [&](std::size_t at) {
        return at < text.size() && (is_alphanumeric(text[at]) || text[at] == '-');
    };
    for (std::size_t at = text.find(name); at != std::string_view::npos;
         at = text.find(name, at + 1)) {
        if ((at == 0 || !is_part(at - 1)) && !is_part(at + name.size())) {
            return true;
        }
    }
    return false;
}

// True if a release that is not known may now make the device: it has a word that exposes
// something, or the name of the device's Service or Ingress.
bool may_make(const Standing& release, const repo::InventoryDevice& device) {
    const std::string_view parent = device.parent;
    return release.may_expose || has_name(release.values, parent.substr(parent.rfind('/') + 1));
}

// True if the last name is that of a release of a chart, or of a set of Flux, and not of a unit.
bool is_release_path(const std::vector<std::string_view>& names) {
    return !names.empty() && names.back().find(' ') == std::string_view::npos;
}

// Returns a unit that is not known and may now contain the device, if there is one.
std::optional<std::string> holder(const Standings& standings, const repo::InventoryDevice& device,
                                  const std::vector<std::string_view>& names,
                                  std::string_view cluster) {
    const bool is_release = is_release_path(names);
    for (const Standing& one : standings.all) {
        const bool is_known =
            rank_of(one.liveness) < 3 && (one.liveness != Liveness::Applied || one.reason.empty());
        if (!is_known && !is_elsewhere(one, cluster) &&
            (!one.is_release || (is_release && may_make(one, device))) &&
            (one.text.empty() || may_be_of(one, names, device))) {
            return one.text.empty()
                       ? fmt::format("another unit may have it now: {}", told(one))
                       : fmt::format(
                             "{} may apply it now, but is not read: {}; correct that, or "
                             "leave it out with --ignore",
                             one.name, one.reason);
        }
    }
    return std::nullopt;
}

bool is_ignored_device(const Standings& standings, const repo::InventoryDevice& device) {
    return std::ranges::any_of(standings.ignored, [&](const std::string& dir) {
        return repo::is_within(device.source, dir);
    });
}

}  // namespace

std::string_view cluster_of_path(std::string_view path) {
    const std::string_view head = path.substr(0, path.find(kAbove));
    return head.starts_with(kClusterPrefix) ? head.substr(kClusterPrefix.size())
                                            : std::string_view();
}

bool says_path_of(std::string_view text, std::string_view file) {
    return text.find(file.substr(0, file.find('/'))) != std::string_view::npos ||
           says_value(text, "path", [](std::string_view path) {
               return path == "." || path == "./" || path.starts_with("..");
           });
}

void note_refused(const AppliedUnit& unit, std::string reason, Standings& standings) {
    if (!unit.name.empty()) {
        standings.all.push_back({.name = unit.name,
                                 .liveness = Liveness::Broken,
                                 .reason = std::move(reason),
                                 .cluster = unit.cluster});
    }
}

// A unit whose revision changed was itself changed by the unit above it, if that applies this tree.
std::optional<FixedUnit> fixed_unit_of(const Standings& standings,
                                       const std::vector<repo::InventoryDevice>& earlier,
                                       const repo::InventoryDevice& device) {
    const std::string_view cluster = cluster_of_path(device.unit);
    std::string path = is_ignored_device(standings, device) ? std::string() : device.unit;
    while (!path.empty()) {
        const std::size_t at = path.rfind(kAbove);
        const std::string name = at == std::string::npos ? path : path.substr(at + kAbove.size());
        for (const repo::InventoryDevice& one : earlier) {
            if (one.unit == path && standings.revisions.contains({path, one.parent})) {
                return FixedUnit{.name = name, .revision = one.parent};
            }
            if (one.unit == path && standings.revisions.contains({path, ""})) {
                return FixedUnit{.name = name, .revision = one.parent, .is_known = false};
            }
        }
        const auto now = standings.revisions.lower_bound({path, ""});
        const bool is_fixed = now != standings.revisions.end() && now->first == path;
        const Standing* unit = find(standings, name, cluster);
        if (!is_fixed && unit != nullptr && !unit->is_release) {
            return std::nullopt;
        }
        path.resize(at == std::string::npos ? 0 : at);
    }
    return std::nullopt;
}

std::optional<std::string> why_unexplained(const Standings& standings,
                                           const repo::InventoryDevice& device) {
    if (is_ignored_device(standings, device)) {
        return std::nullopt;
    }
    for (const auto& [path, why] : standings.unreadable) {
        if (repo::is_within(device.source, path)) {
            return fmt::format("{} is not readable here: {}", path, why);
        }
    }
    if (const auto kept = standings.objects.find(device.parent); kept != standings.objects.end()) {
        return fmt::format("{} {}", kept->first, kept->second);
    }
    const Standing* part = find(standings, device.source, {});
    if (part != nullptr && part->liveness == Liveness::Kept) {
        return told(*part);
    }
    if (part != nullptr && part->liveness != Liveness::Applied) {
        return not_known(*part);
    }
    if (!standings.unfetched.empty() && device.source.find(kSourcesPlace) != std::string::npos) {
        return fmt::format("a kustomization uses {}, which is not available", standings.unfetched);
    }
    std::vector<std::string_view> names = names_in(device.unit);
    const std::string cluster(cluster_of_path(device.unit));
    if (!cluster.empty()) {
        if (standings.others.contains(cluster)) {
            return fmt::format(
                "this run does not render {}: each cluster needs an output of its own",
                names.front());
        }
        if (!standings.clusters.contains(cluster)) {
            return fmt::format(
                "the tree has no root of {}: its engine does not find its path, and removes "
                "nothing",
                names.front());
        }
        names.erase(names.begin());
    }
    bool is_known = false;
    for (std::size_t i = names.size(); i-- > 0;) {
        const Standing* standing = find(standings, names[i], cluster);
        if (standing == nullptr) {
            // It was deleted, if its parent is known.
            continue;
        }
        if (standing->liveness != Liveness::Applied) {
            return told(*standing);
        }
        if (i + 1 == names.size() && !standing->reason.empty()) {
            return not_known(*standing);
        }
        if (i + 1 < names.size() && !is_known) {
            names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return holder(standings, device, names, cluster);
        }
        is_known = true;
        if (!standing->is_release) {
            return i + 1 == names.size() ? maker(standings, device) : std::nullopt;
        }
    }
    if (is_known) {
        return std::nullopt;
    }
    const bool is_by_hand = names.empty() || names.front().starts_with(kIncluded);
    if (is_by_hand && standings.unreached.contains(device.source)) {
        return fmt::format("{} exists, but nothing applies it any more", device.source);
    }
    return holder(standings, device, names, cluster);
}

}  // namespace renderer::engines
