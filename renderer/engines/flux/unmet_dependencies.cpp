#include "renderer/engines/flux/unmet_dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/liveness.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kKind = "Kustomization ";

struct KnownName {
    std::string_view ns, name;
};

// Splits "Kustomization flux-system/apps" or "Application apps".
KnownName split_name(std::string_view unit) {
    unit.remove_prefix(unit.find(' ') == std::string_view::npos ? 0 : unit.find(' ') + 1);
    const std::size_t slash = unit.find('/');
    return slash == std::string_view::npos
               ? KnownName{{}, unit}
               : KnownName{unit.substr(0, slash), unit.substr(slash + 1)};
}

class Dependencies {
public:
    Dependencies(const GitOpsTree& repository, bool skips_kept, std::vector<BuildUnit>& units)
        : units_(units) {
        for (const BuildUnit& unit : units) {
            are_known_ = are_known_ && (unit.rest == UnitRest::None || !is_unknown(unit)) &&
                         (!unit.is_flux || liveness_of(unit) == Liveness::Applied ||
                          is_rendered(unit, skips_kept));
            known_.push_back(split_name(unit.name));
            by_name_.emplace(unit.name, &unit);
        }
        for (const EngineObject& object : repository.objects()) {
            const std::string_view ns = text_of(object.root, {"metadata", "namespace"});
            known_.push_back({ns, text_of(object.root, {"metadata", "name"})});
            if (text_of(object.root, {"kind"}) == "FluxInstance") {
                // Source: flux-operator internal/builder (the name of the sync).
                const std::string_view name = text_of(object.root, {"spec", "sync", "name"});
                known_.push_back({ns, name.empty() ? ns : name});
            }
        }
    }

    void find() {
        for (BuildUnit& unit : units_) {
            if (has_content(unit)) {
                find_unknown(unit);
                find_cycle(unit);
            }
        }
        for (bool is_new = true; is_new;) {
            is_new = std::ranges::any_of(units_, [&](BuildUnit& unit) { return follow(unit); });
        }
    }

private:
    static bool is_unknown(const BuildUnit& unit) { return liveness_of(unit) == Liveness::Unknown; }

    void find_unknown(BuildUnit& unit) const {
        for (const auto& [wanted, pos] : unit.waits_for) {
            const KnownName dependency = split_name(wanted);
            const auto has_name = [&](const KnownName& one) { return one.name == dependency.name; };
            const bool is_there = std::ranges::any_of(known_, [&](const KnownName& one) {
                return has_name(one) &&
                       (one.ns.empty() || dependency.ns.empty() || one.ns == dependency.ns);
            });
            if (is_there || dependency.name.empty() || wanted.find("${") != std::string::npos) {
                continue;
            }
            std::vector<std::string_view> names;
            for (const KnownName& one : known_) {
                names.push_back(one.name);
            }
            const std::string_view meant = meant_name(dependency.name, names);
            const auto other = std::ranges::find_if(known_, has_name);
            if (!are_known_ && meant.empty()) {
                continue;
            }
            const bool is_near = dependency.ns == split_name(unit.name).ns;
            const std::string spelled(is_near ? dependency.name
                                              : std::string_view(wanted).substr(kKind.size()));
            unit.unmet.push_back(
                {.pos = pos,
                 .found = fmt::format("\"{}\" in spec.dependsOn", spelled),
                 .reason =
                     fmt::format("nothing in this tree creates \"{}\" of spec.dependsOn", spelled),
                 .hint =
                     other != known_.end()
                         ? fmt::format("write the namespace {} of that Kustomization", other->ns)
                     : meant.empty() ? std::string("correct or remove it, unless something "
                                                   "else creates that Kustomization")
                                     : did_you_mean(meant),
                 .is_unknown = true});
        }
    }

    // Returns the unit that an entry of `spec.dependsOn` names, in the same cluster.
    [[nodiscard]] const BuildUnit* named(const BuildUnit& unit, const std::string& wanted) const {
        const auto [first, last] = by_name_.equal_range(wanted);
        const auto found = std::find_if(first, last, [&](const auto& one) {
            return one.second->cluster == unit.cluster && has_content(*one.second);
        });
        return found == last ? nullptr : found->second;
    }

    void find_cycle(BuildUnit& unit) const {
        for (const auto& [first, pos] : unit.waits_for) {
            std::vector<const BuildUnit*> next = {named(unit, first)};
            std::set<const BuildUnit*> seen;
            while (!next.empty()) {
                const BuildUnit* one = next.back();
                next.pop_back();
                if (one == &unit) {
                    unit.unmet.push_back(
                        {.pos = pos,
                         .found = fmt::format("{} in spec.dependsOn", first),
                         .reason = first == unit.name
                                       ? std::string("it waits for itself")
                                       : fmt::format("it waits for {}, which waits for it", first),
                         .hint = "remove one of the entries of this cycle"});
                    return;
                }
                if (one != nullptr && seen.insert(one).second) {
                    for (const auto& [wanted, place] : one->waits_for) {
                        next.push_back(named(*one, wanted));
                    }
                }
            }
        }
    }

    // Returns true if the unit waits for one that is never applied, which was not known before.
    bool follow(BuildUnit& unit) const {
        if (!unit.unmet.empty() || !has_content(unit)) {
            return false;
        }
        for (const auto& [wanted, pos] : unit.waits_for) {
            const BuildUnit* dependency = named(unit, wanted);
            if (dependency != nullptr && !dependency->unmet.empty()) {
                unit.unmet.push_back(
                    {.pos = pos,
                     .found = fmt::format("{} in spec.dependsOn", wanted),
                     .reason = fmt::format("it waits for {}, which Flux never applies", wanted),
                     .hint = fmt::format("correct spec.dependsOn of {}", wanted)});
                return true;
            }
        }
        return false;
    }

    std::vector<BuildUnit>& units_;
    std::multimap<std::string_view, const BuildUnit*> by_name_;
    std::vector<KnownName> known_;
    bool are_known_ = true;
};

}  // namespace

void find_unmet(const GitOpsTree& repository, bool skips_kept, std::vector<BuildUnit>& units) {
    Dependencies(repository, skips_kept, units).find();
}

}  // namespace renderer::engines
