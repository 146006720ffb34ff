#include "renderer/cli/removals.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/core/diagnostics.h"
#include "renderer/diff/devices.h"
#include "renderer/diff/manifests.h"
#include "renderer/diff/outline.h"
#include "renderer/engines/flux/flux_revisions.h"
#include "renderer/engines/standing.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/paths.h"
#include "renderer/validate/validate.h"

namespace renderer::cli {
namespace {

std::set<std::string> parents_of(const std::vector<repo::InventoryDevice>& devices) {
    std::set<std::string> parents;
    for (const repo::InventoryDevice& device : devices) {
        parents.insert(device.parent);
    }
    return parents;
}

// Returns the line that lists the removed devices, "" if there are none. It reads them from the
// objects of an earlier run: those with parents in `lost`, or, if its inventory lists no devices,
// those with parents that are not in `wanted`.
Result<std::string> removal_line(const emit::RenderedTree& tree,
                                 const repo::TreeInventory& inventory,
                                 const std::set<std::string>& lost,
                                 const std::set<std::string>& wanted, const EarlierTrees& earlier) {
    const diff::Manifests manifests(TRY(earlier.files(tree.dir, inventory)));
    std::set<std::string> open, tailnet;
    for (const diff::Device& device : diff::read_devices(manifests)) {
        const bool is_lost = inventory.lists_devices ? lost.contains(device.parent)
                                                     : !wanted.contains(device.parent);
        if (is_lost) {
            (device.is_public() ? open : tailnet).insert(diff::safe(device.hostname));
        }
    }
    const std::size_t count = open.size() + tailnet.size();
    if (count == 0) {
        return std::string();
    }
    std::string names;
    for (const std::set<std::string>* some : {&open, &tailnet}) {
        for (const std::string& name : *some) {
            names += fmt::format("{}{}{}", names.empty() ? "" : ", ",
                                 some == &open ? "PUBLIC " : "", name);
        }
    }
    return fmt::format("{}: removes {}: {}\n", tree.dir, counted(count, "device"), names);
}

// Why a removal is unexplained.
struct Cause {
    std::string why;
    // What would explain it, if something else than this tree is applied, and a hint.
    std::string expected = {}, hint = {};
    friend auto operator<=>(const Cause&, const Cause&) = default;
};

// Reports one error for all devices of a tree with the same cause.
void refuse(const std::string& where, const Cause& cause,
            const std::vector<const repo::InventoryDevice*>& devices, Diagnostics& diagnostics) {
    const repo::InventoryDevice& first = *devices.front();
    Finding error =
        diagnostics
            .error("unexplained-removal", {},
                   fmt::format(
                       "device \"{}\" would be removed, but no change of the sources explains it",
                       diff::safe(first.hostname)))
            .where(where)
            .object(diff::safe(first.parent))
            .found(diff::safe(cause.why))
            .expected(cause.expected.empty()
                          ? fmt::format("{} still applied, or deleted while everything else can be "
                                        "rendered",
                                        diff::safe(first.source))
                          : cause.expected)
            .hint(fmt::format(
                "{}to remove {}, use --allow-removal {}, or \"ignore\" in .tailrender.yaml",
                cause.hint, devices.size() == 1 ? "it" : "the first", diff::safe(first.parent)));
    for (const repo::InventoryDevice* device : std::span(devices).subspan(1)) {
        error.note({.object = diff::safe(device->parent),
                    .text = fmt::format("device \"{}\" would be removed, too",
                                        diff::safe(device->hostname))});
    }
}

// Reports that the settings of an earlier run would change, to defaults or to values that are not
// applied.
void refuse_settings(const std::string& where, const std::string& why,
                     const repo::InventoryDevice& release, bool are_lost,
                     Diagnostics& diagnostics) {
    diagnostics
        .error("unexplained-removal", {},
               fmt::format("the operator's settings would {}, but no change of the sources "
                           "explains it",
                           are_lost ? "become defaults" : "change"))
        .where(where)
        .object(diff::safe(release.parent))
        .found(diff::safe(why))
        .expected(fmt::format("the release in {}, whose values may set tags and classes",
                              diff::safe(release.source)))
        .hint(fmt::format(
            "give its values with --values; to render without them, use --allow-removal {}",
            diff::safe(release.parent)));
}

// True if values have settings of the operator, and not only those of tailrender.
bool has_settings(const Value& values) {
    return values.find("proxyConfig") != nullptr || values.find("operatorConfig") != nullptr ||
           values.find("loginServer") != nullptr;
}

// Warns that the release of the operator was deleted: its version and values do not count any more.
void warn_of_defaults(const std::string& where, const repo::InventoryDevice& release,
                      Diagnostics& diagnostics) {
    diagnostics
        .warning("removed-operator", {},
                 "the sources do not install the operator any more: its release and its settings, "
                 "such as tags, become defaults")
        .where(where)
        .object(diff::safe(release.parent))
        .found(fmt::format("an earlier run took them from {}", diff::safe(release.source)))
        .expected("--values FILE with the same settings and \"tailrender.operatorVersion\"")
        .hint("\"tailrender diff HEAD .\" shows what changes");
}

// Warns if the pods of an earlier run had tailrender-proxy, and now have containerboot only because
// no setting names an image: they restart.
Result<Unit> warn_other_dataplane(const emit::RenderedTree& tree,
                                  const repo::TreeInventory& inventory, const EarlierTrees& earlier,
                                  const Run& run, Diagnostics& diagnostics) {
    const plan::Settings& settings = run.plan.settings;
    const bool is_by_default = !settings.sets_dataplane && !settings.native_image.is_named();
    if (!is_by_default || run.plan.workloads.empty()) {
        return Unit{};
    }
    repo::TreeInventory sets;  // only these have the image, and few files are read
    std::ranges::copy_if(
        inventory.files, std::back_inserter(sets.files),
        [](const std::string& path) { return repo::base_name(path).starts_with("statefulset_"); });
    for (const emit::OutputFile& file : TRY(earlier.files(tree.dir, sets))) {
        if (file.content.find("/tailrender-proxy:") != std::string::npos ||
            file.content.find("/tailrender-proxy@") != std::string::npos) {
            diagnostics
                .warning("dataplane-changed", {},
                         "all proxies restart with containerboot, since no setting names the image "
                         "of tailrender-proxy that they run")
                .where(repo::join_path(tree.dir, repo::kInventoryFile))
                .expected(
                    "\"tailrender.proxyImage.repository\", or \"tailrender.dataplane: "
                    "containerboot\"")
                .hint("docs/upgrading.md says what changes");
            break;
        }
    }
    return Unit{};
}

// Returns why the API server refuses the object although it fits its schema, or "" if it does not.
// Source: kubernetes v1.37 pkg/apis/networking/validation/validation.go (ValidateIngressSpec).
std::string fault_of(const classify::IngressInput& ingress) {
    if (ingress.served && !ingress.has_default_backend && ingress.rules.empty()) {
        return "it has neither spec.rules nor spec.defaultBackend";
    }
    return ingress.has_class_name && !is_dns1123_subdomain(ingress.class_name)
               ? fmt::format("invalid ingressClassName \"{}\"", ingress.class_name)
               : std::string();
}

// Source: kubernetes v1.37 pkg/apis/core/validation/validation.go (validateLoadBalancerClassField).
std::string fault_of(const classify::ServiceInput& service) {
    return service.type == classify::ServiceType::LoadBalancer && service.has_load_balancer_class &&
                   !is_qualified_name(service.load_balancer_class)
               ? fmt::format("invalid loadBalancerClass \"{}\"", service.load_balancer_class)
               : std::string();
}

// Finds units that their engine cannot apply, because the API server refuses one of their objects,
// and objects without a unit that it refuses. All objects are validated, when first needed.
class RefusedUnits {
public:
    explicit RefusedUnits(const Run& run) : run_(run) {}

    std::optional<std::string> why(const repo::InventoryDevice& device) {
        if (!faults_) {
            find();
        }
        for (const auto& [document, message] : *faults_) {
            if (device.unit.empty() && document->object_name() == device.parent) {
                return fmt::format("it cannot be applied: {}", message);
            }
            if (!device.unit.empty() &&
                load::unit_of(run_.loaded, document->source)->path == device.unit) {
                return fmt::format("its unit cannot be applied: {}: {}", document->object_name(),
                                   message);
            }
        }
        return std::nullopt;
    }

private:
    void find() {
        faults_.emplace();
        add(run_.inventory.ingresses);
        add(run_.inventory.services);
        Diagnostics discarded;
        for (const validate::DocumentFaults& one :
             validate::validate_inputs(run_.loaded, true, 0, discarded).documents) {
            if (one.is_applied &&
                !std::ranges::all_of(one.faults, &schema::SchemaFault::may_change)) {
                faults_->emplace_back(one.document, one.faults.front().diagnostic.message);
            }
        }
    }

    template <typename Input>
    void add(const std::vector<Input>& inputs) {
        for (const Input& input : inputs) {
            const bool is_applied =
                input.doc->reachable && !input.doc->hook && input.doc->kept == kNone;
            std::string fault = is_applied ? fault_of(input) : std::string();
            if (!fault.empty()) {
                faults_->emplace_back(input.doc, std::move(fault));
            }
        }
    }

    const Run& run_;
    std::optional<std::vector<std::pair<const Document*, std::string>>> faults_;
};

// True if the values of the operator's chart that could not be read may set which Ingresses and
// Services of type LoadBalancer are inputs.
bool may_choose_inputs(const engines::UnreadValues& values) {
    const bool is_any = values.target.empty() && values.kind != engines::Unread::Refused;
    return is_any || values.target.starts_with("ingressClass") ||
           values.target.starts_with("operatorConfig");
}

// Returns the values of the operator's chart that are not known, if they may decide that the
// parent, which is still applied, is no input any more.
std::optional<std::string> unread_choice(const Run& run, const std::string& parent) {
    const auto unread = std::ranges::find_if(run.loaded.unread_values, may_choose_inputs);
    const auto is_parent = [&](const auto& input) {
        return input.doc->reachable && input.doc->object_name() == parent;
    };
    const bool is_there =
        std::ranges::any_of(run.inventory.ingresses, is_parent) ||
        std::ranges::any_of(run.inventory.services, [&](const classify::ServiceInput& service) {
            return service.type == classify::ServiceType::LoadBalancer &&
                   !service.has_load_balancer_class && is_parent(service);
        });
    return unread == run.loaded.unread_values.end() || !is_there
               ? std::nullopt
               : std::optional(fmt::format("values of the operator's chart are not known: {}",
                                           unread->diagnostic.found));
}

// Returns why the API server refuses the Service, if its class differs from that of an earlier run.
// Source: kubernetes v1.37 pkg/apis/core/validation/validation.go (validateLoadBalancerClassField).
std::optional<std::string> why_class_stays(const Run& run, const repo::InventoryDevice& device) {
    const bool is_changed =
        !device.load_balancer_class.empty() &&
        std::ranges::any_of(run.inventory.services, [&](const classify::ServiceInput& service) {
            return service.doc->reachable && service.doc->object_name() == device.parent &&
                   service.type == classify::ServiceType::LoadBalancer &&
                   service.load_balancer_class != device.load_balancer_class;
        });
    return is_changed
               ? std::optional(fmt::format("the API server refuses it, since loadBalancerClass "
                                           "\"{}\" of a Service cannot change: delete the Service "
                                           "first, or change its type",
                                           device.load_balancer_class))
               : std::nullopt;
}

// Returns why the parent, a hook for Helm and Argo CD alone, may be applied like other objects.
std::optional<std::string> why_hook_stays(const load::Loaded& loaded, const std::string& parent) {
    bool is_unknown = false;
    for (const Document& doc : loaded.documents) {
        if (!doc.reachable || doc.object_name() != parent) {
            continue;
        }
        if (!doc.hook) {
            return std::nullopt;
        }
        is_unknown = is_unknown || !load::hook_readers_of(loaded, doc).are_known;
    }
    return is_unknown
               ? std::optional(fmt::format("{} is a hook only for Helm and Argo CD, and the tree "
                                           "does not say what applies it",
                                           parent))
               : std::nullopt;
}

Cause cause_of(const engines::FixedUnit& unit) {
    if (unit.revision.starts_with(engines::kChartRevision)) {
        return {
            fmt::format("{} still has {}: Flux packs a chart of the tree again only if its "
                        "version changes",
                        unit.name, unit.revision.substr(0, unit.revision.find(','))),
            "another version in its Chart.yaml, \"reconcileStrategy: Revision\", or the chart as "
            "it was"};
    }
    if (!unit.is_known) {
        return {fmt::format("{} applied {}, and what it applies now is not known", unit.name,
                            unit.revision)};
    }
    return {
        fmt::format("{} applies {}, which may still have it", unit.name, unit.revision),
        "another tag or commit there, or the sources as they were",
        fmt::format("--rev {} renders what is applied; ", shell_word(diff::safe(unit.revision)))};
}

// Returns why the removal is unexplained, or nothing if a change of the sources explains it.
// `revisions`: of units in the earlier run.
std::optional<Cause> why_lost(const Run& run, const repo::InventoryDevice& device,
                              const std::vector<repo::InventoryDevice>& revisions,
                              RefusedUnits& refused) {
    if (const auto undecided = run.plan.undecided.find(device.parent);
        undecided != run.plan.undecided.end()) {
        return Cause{undecided->second};
    }
    std::optional<std::string> why = engines::why_unexplained(run.loaded.standings, device);
    if (!why) {
        if (const auto unit = engines::fixed_unit_of(run.loaded.standings, revisions, device)) {
            return cause_of(*unit);
        }
    }
    why = why ? why : unread_choice(run, device.parent);
    why = why ? why : why_class_stays(run, device);
    why = why ? why : why_hook_stays(run.loaded, device.parent);
    why = why ? why : refused.why(device);
    return why ? std::optional(Cause{*why}) : std::nullopt;
}

// Returns why the values of the operator's release cannot have changed, or nothing if they are the
// same or may have.
std::optional<Cause> why_changed(const Run& run, const repo::InventoryDevice& before,
                                 const repo::InventoryDevice& now) {
    const std::optional<load::OperatorRelease>& release = run.loaded.operator_release;
    const bool is_kept = release && !release->kept.empty() && before.parent == now.parent;
    return is_kept && before.values != now.values
               ? std::optional(Cause{fmt::format("{} is kept: {}", now.parent, release->kept)})
               : std::nullopt;
}

// Returns the reason if a kustomization has a remote part that it did not have in an earlier run:
// objects of the tree may have moved there. Only the device's own unit counts, or any if the
// device's file exists, but is no longer applied.
std::optional<Cause> remote_since(const repo::TreeInventory& earlier,
                                  const repo::TreeInventory& now,
                                  const repo::InventoryDevice& device, bool is_unreached) {
    const auto found = std::ranges::find_if(now.remotes, [&](const repo::InventoryDevice& remote) {
        return (is_unreached || remote.unit == device.unit) &&
               std::ranges::find(earlier.remotes, remote) == earlier.remotes.end();
    });
    return found == now.remotes.end()
               ? std::nullopt
               : std::optional(Cause{fmt::format(
                     "{} kustomization uses {}, which is not available, and may have got its "
                     "manifest",
                     found->unit == device.unit ? "its" : "a", found->parent)});
}

}  // namespace

EarlierTrees earlier_trees() {
    return {[](const std::string& dir) { return emit::earlier_inventory(dir); },
            [](const std::string& dir, const repo::TreeInventory& inventory) {
                return emit::earlier_files(dir, inventory);
            }};
}

void add_units(const repo::TreeInventory& inventory, std::set<std::string, std::less<>>& units) {
    for (const repo::InventoryDevice& device : inventory.devices) {
        for (std::size_t end = device.unit.find(engines::kAbove); end != std::string::npos;
             end = device.unit.find(engines::kAbove, end + 1)) {
            units.insert(device.unit.substr(0, end));
        }
        units.insert(device.unit);
    }
}

Result<std::set<std::string, std::less<>>> earlier_units(const std::vector<std::string>& dirs,
                                                         const EarlierTrees& earlier) {
    std::set<std::string, std::less<>> units;
    for (const std::string& dir : dirs) {
        add_units(TRY(earlier.inventory(dir)), units);
    }
    return units;
}

Result<Removals> find_removals(const Options& options, const Run* run,
                               const emit::RenderedTree& tree, const EarlierTrees& earlier,
                               Diagnostics& diagnostics) {
    Removals removals;
    const repo::TreeInventory inventory = TRY(earlier.inventory(tree.dir));
    if (run != nullptr) {
        TRY(warn_other_dataplane(tree, inventory, earlier, *run, diagnostics));
        removals.are_explained =
            refuse_unexplained(options, repo::join_path(tree.dir, repo::kInventoryFile), inventory,
                               tree.inventory, *run, diagnostics);
    }
    const std::set<std::string> wanted = parents_of(tree.inventory.devices);
    std::set<std::string> lost = parents_of(inventory.devices);
    std::erase_if(lost, [&](const std::string& parent) { return wanted.contains(parent); });
    if (!lost.empty() || !inventory.lists_devices) {
        removals.line = TRY(removal_line(tree, inventory, lost, wanted, earlier));
    }
    return removals;
}

bool refuse_unexplained(const Options& options, const std::string& where,
                        const repo::TreeInventory& earlier, const repo::TreeInventory& now,
                        const Run& run, Diagnostics& diagnostics) {
    std::set<std::string> known = parents_of(now.devices);
    known.insert(options.allowed_removals.begin(), options.allowed_removals.end());
    RefusedUnits refused(run);
    // What a unit applies is this tree if --rev names its revision.
    std::vector<repo::InventoryDevice> revisions = earlier.revisions;
    std::erase_if(revisions, [&](const repo::InventoryDevice& one) {
        return options.revision == one.parent ||
               engines::tag_of_ref(options.revision) == one.parent;
    });
    bool are_explained = true;
    for (const repo::InventoryDevice& release : earlier.settings) {
        if (!options.load.values_files.empty() || known.contains(release.parent)) {
            continue;
        }
        const bool are_lost = now.settings.empty();
        if (const std::optional<Cause> cause =
                are_lost ? why_lost(run, release, revisions, refused)
                         : why_changed(run, release, now.settings.front())) {
            refuse_settings(where, cause->why, release, are_lost, diagnostics);
            are_explained = false;
        } else if (are_lost && !std::ranges::any_of(run.loaded.values, has_settings)) {
            warn_of_defaults(where, release, diagnostics);
        }
    }
    std::map<Cause, std::vector<const repo::InventoryDevice*>> unexplained;
    for (const repo::InventoryDevice& device : earlier.devices) {
        if (!known.insert(device.parent).second) {
            continue;
        }
        std::optional<Cause> cause = why_lost(run, device, revisions, refused);
        cause = cause ? cause
                      : remote_since(earlier, now, device,
                                     run.loaded.standings.unreached.contains(device.source));
        if (cause) {
            unexplained[*cause].push_back(&device);
        }
    }
    for (const auto& [cause, devices] : unexplained) {
        refuse(where, cause, devices, diagnostics);
    }
    return are_explained && unexplained.empty();
}

}  // namespace renderer::cli
