#include "runtime/controller/object_status/parent_status.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "runtime/base/url.h"
#include "runtime/controller/object_status/proxy_class_status.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kNameServer = "nameserver";

std::optional<NameServer> decode_name_server(const Value& object) {
    if (text_of(object.at({"metadata", "name"})) != kNameServer) {
        return std::nullopt;
    }
    return NameServer{std::string(text_of(object.at({"spec", "clusterIP"})))};
}

// True for an Ingress of another controller. An Ingress without a class may be ours.
bool has_other_class(const Parent& parent, std::string_view ours) {
    const std::string_view its_class = text_of(parent.spec.find("ingressClassName"));
    return parent.kind == "Ingress" && !its_class.empty() && its_class != ours;
}

// Returns the names and addresses at which it is reached.
std::set<std::string> places_of(const Device& device) {
    std::set<std::string> places{device.fqdn, device.https_name};
    places.insert(device.addresses.begin(), device.addresses.end());
    places.erase("");
    return places;
}

constexpr std::string_view kGroupParent = "ProxyGroup/";

}  // namespace

ParentStatus::ParentStatus(FeatureContext context)
    : context_(std::move(context)),
      name_servers_(context_.view.follow<NameServer>(
          {.kind = kube::kServices, .ns = context_.view.ns()}, decode_name_server)),
      egress_replicas_(context_.view.follow<EgressReplica>(context_.view.our_secrets(),
                                                           decode_egress_replica,
                                                           ClusterView::its_pod<EgressReplica>())),
      static_endpoints_(context_.view.follow<StaticEndpoints>(
          {.kind = kube::kSecrets,
           .ns = context_.view.ns(),
           .query = "labelSelector=" + escape_url(fmt::format("{}={}", renderer::label::kSecretType,
                                                              renderer::label::kConfigType))},
          decode_static_endpoints,
          [](std::string_view name, const StaticEndpoints*, const StaticEndpoints*,
             Changes& changes) { changes.pods.emplace(name.substr(0, name.rfind('-'))); })) {}

void ParentStatus::reconcile(const Changes& changes) {
    Look look{.replicas = Replicas(context_.view)};
    const auto sets = sets_of(context_.view, changes);
    for (const ProxySet* set : sets) {
        write_served(look, *set);
    }
    write_egress(look, changes, sets);
    const bool is_other = note_leaving(look, changes);
    write_unserved(is_other ? Changes{.everything = true} : changes);
    write_name_server();
    write_classes();
}

std::vector<const Parent*> ParentStatus::parents_of(const Changes& changes,
                                                    std::string_view kind) const {
    std::vector<const Parent*> parents;
    if (changes.everything) {
        for (const auto& [unused, parent] : context_.parents.all(kind)) {
            parents.push_back(&parent);
        }
    }
    for (const std::string& name : changes.parents) {
        const Parent* parent = context_.parents.find(name);
        if (parent != nullptr && parent->kind == kind) {
            parents.push_back(parent);
        }
    }
    return parents;
}

const Proxies& ParentStatus::proxies_of(Look& look, const ProxySet& set) {
    const auto [entry, is_new] = look.proxies.try_emplace(std::string(set.name));
    Proxies& proxies = entry->second;
    for (int ordinal = 0; is_new && ordinal < set.replicas; ++ordinal) {
        const std::string pod = fmt::format("{}-{}", set.name, ordinal);
        if (const auto replica = look.replicas.find(pod)) {
            proxies.devices.push_back(described(*replica));
            proxies.problem = proxies.problem.empty() ? context_.problem_of(pod) : proxies.problem;
        }
    }
    return proxies;
}

// Returns the device with its static endpoints.
Device ParentStatus::described(const Replica& replica) {
    Device device = device_of(replica);
    const StaticEndpoints* endpoints =
        static_endpoints_.find(context_.view.key(renderer::config_secret_name(replica.pod_name)));
    device.static_endpoints =
        endpoints == nullptr ? static_endpoints(replica.config) : endpoints->addresses;
    return device;
}

bool ParentStatus::note_leaving(Look& look, const Changes& changes) {
    const auto before = leaving_;
    const auto note = [this](std::string_view pod, const Replica* replica) {
        auto places = replica == nullptr || is_wanted(*replica) ? std::set<std::string>()
                                                                : places_of(device_of(*replica));
        if (places.empty()) {
            leaving_.erase(std::string(pod));
        } else {
            leaving_[std::string(pod)] = std::move(places);
        }
    };
    if (changes.everything) {
        leaving_.clear();
        look.replicas.each([&note](const Replica& replica) { note(replica.pod_name, &replica); });
    }
    for (const std::string& pod : changes.pods) {
        const auto replica = look.replicas.find(pod);
        note(pod, replica.has_value() ? &*replica : nullptr);
    }
    return leaving_ != before;
}

void ParentStatus::write_served(Look& look, const ProxySet& set) {
    const Parent* parent = context_.parents.find(set.parent);
    // While the operator serves it, the operator writes the status.
    if (set.contract != renderer::kContractVersion || parent == nullptr || is_of_group(*parent) ||
        !operators_set(context_.view, {.pod_name = fmt::format("{}-0", set.name), .set = &set})
             .empty()) {
        return;
    }
    const Proxies& proxies = proxies_of(look, set);
    if (!proxies.are_described()) {
        return;
    }
    if (has_other_class(*parent, context_.ingress_class)) {  // until its proxy is pruned
        std::set<std::string> gone;
        for (const Device& device : proxies.devices) {
            gone.merge(places_of(device));
        }
        context_.status.write(*parent, unserved_status(*parent, gone));
    } else if (auto change = proxy_status(*parent, proxies)) {
        context_.status.write(*parent, std::move(*change));
    }
}

void ParentStatus::write_egress(Look& look, const Changes& changes,
                                const std::vector<const ProxySet*>& sets) {
    std::set<std::string_view> groups;  // groups that may have changed
    for (const ProxySet* set : sets) {
        if (set->parent.view().starts_with(kGroupParent)) {
            groups.insert(set->parent.view().substr(kGroupParent.size()));
        }
    }
    for (const std::string& parent : changes.parents) {
        if (parent.starts_with(kGroupParent)) {
            groups.insert(std::string_view(parent).substr(kGroupParent.size()));
        }
    }
    const bool all = changes.everything || !groups.empty();
    for (const Parent* service :
         parents_of(all ? Changes{.everything = true} : changes, "Service")) {
        if (changes.everything || groups.contains(egress_group(*service)) ||
            changes.parents.contains(contract_name(*service))) {
            write_egress(look, *service);
        }
    }
}

void ParentStatus::write_egress(Look& look, const Parent& service) {
    const std::string_view group = egress_group(service);
    const bool has_been_led = !condition_status(service, "TailscaleEgressSvcReady").empty();
    if (group.empty()) {
        return has_been_led ? context_.status.write(service, no_egress_status()) : void();
    }
    const ProxySet* set = set_of(context_.view, fmt::format("{}{}", kGroupParent, group));
    if (set == nullptr) {
        // The operator may have the group.
        if (has_been_led && context_.view.operators_sets().empty()) {
            context_.status.write(service, egress_status(service, {}, {}));
        }
        return;
    }
    if (set->contract != renderer::kContractVersion) {
        return;
    }
    const Proxies& proxies = proxies_of(look, *set);
    std::vector<const EgressReplica*> replicas;
    replicas.reserve(proxies.devices.size());
    for (const Device& device : proxies.devices) {
        replicas.push_back(egress_replicas_.find(context_.view.key(device.pod)));
    }
    context_.status.write(service, egress_status(service, proxies.devices, replicas));
}

void ParentStatus::write_unserved(const Changes& changes) {
    std::set<std::string> gone;
    for (const auto& [unused, places] : leaving_) {
        gone.insert(places.begin(), places.end());
    }
    const Index& sets = context_.view.sets_by_parent();
    for (const std::string_view kind : {"Service", "Ingress"}) {
        for (const Parent* parent : parents_of(changes, kind)) {
            const bool is_served =
                !is_of_group(*parent) && !sets.find(contract_name(*parent)).empty();
            if (!is_served &&
                (!gone.empty() ||
                 !condition_status(*parent, renderer::kind_of("Service").role.condition).empty())) {
                context_.status.write(*parent, unserved_status(*parent, gone));
            }
        }
    }
    if (!context_.view.operators_sets().empty()) {
        return;  // one of them may be a group's
    }
    for (const Parent* group : parents_of(changes, "ProxyGroup")) {
        if (!condition_status(*group, renderer::kind_of("ProxyGroup").role.condition).empty() &&
            sets.find(contract_name(*group)).empty()) {
            context_.status.write(
                *group, group_status(*group, {.devices = {}, .problem = "it has no StatefulSet"}));
        }
    }
}

void ParentStatus::write_name_server() {
    const NameServer* server = name_servers_.find(context_.view.key(kNameServer));
    const bool has_address = server != nullptr && !server->address.empty();
    for (const auto& [unused, config] : context_.parents.all("DNSConfig")) {
        StatusChange change;
        change.fields.emplace_back("nameserver",
                                   has_address ? Value::map({{"ip", server->address}}) : Value());
        change.conditions.push_back(
            {.type = std::string(renderer::kind_of("DNSConfig").role.condition),
             .is_true = has_address,
             .reason = has_address ? "NameserverCreated" : "NameserverCreationFailed",
             .message = has_address ? "NameserverCreated"
                                    : "Service \"nameserver\" does not exist or has no address"});
        context_.status.write(config, std::move(change));
    }
}

void ParentStatus::write_classes() {
    const auto& classes = context_.parents.all("ProxyClass");
    const auto faults = class_faults(classes);
    for (const auto& [unused, its_class] : classes) {
        const std::string& fault = faults.at(its_class.name);
        Condition ready{.type = std::string(kClassReady), .is_true = fault.empty()};
        ready.reason = ready.message = "ProxyClassValid";
        if (!fault.empty()) {
            ready.reason = "ProxyClassInvalid";
            ready.message = "ProxyClass is not valid: " + fault;
            context_.events.post(context_.parents.reference(contract_name(its_class)),
                                 kube::EventType::Warning, ready.reason, ready.message);
        }
        StatusChange change;
        change.conditions.push_back(std::move(ready));
        context_.status.write(its_class, std::move(change));
    }
}

}  // namespace runtime::controller
