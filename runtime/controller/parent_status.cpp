#include "runtime/controller/parent_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/base/url.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/proxy_class_status.h"
#include "runtime/controller/replicas.h"

namespace runtime {

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

// No value: not ours to write, or written by another feature.
std::optional<StatusChange> status_of(const Parent& parent, const Proxies& proxies) {
    if (parent.kind == "Service") {
        return service_status(parent, proxies);
    }
    if (parent.kind == "Ingress") {
        return ingress_status(parent, proxies);
    }
    if (parent.kind == "Connector") {
        return connector_status(parent, proxies);
    }
    if (parent.kind == "ProxyGroup") {
        return group_status(parent, proxies);
    }
    return parent.kind == "Recorder" ? std::optional(recorder_status(proxies)) : std::nullopt;
}

// An Ingress that somebody else's controller serves. Without a class there is nothing to go by.
bool has_other_class(const Parent& parent, std::string_view ours) {
    const std::string_view its_class = text_of(parent.spec.find("ingressClassName"));
    return parent.kind == "Ingress" && !its_class.empty() && its_class != ours;
}

// What it is reached at.
void add_places(const Device& device, std::set<std::string>& places) {
    places.insert({device.fqdn, device.https_name});
    places.insert(device.addresses.begin(), device.addresses.end());
    places.erase("");
}

}  // namespace

ParentStatus::ParentStatus(FeatureContext context)
    : context_(std::move(context)),
      name_servers_(context_.view.follow<NameServer>(
          {.resource = kServices, .ns = context_.view.ns()}, decode_name_server)),
      egress_replicas_(
          context_.view.follow<EgressReplica>(context_.view.our_secrets(), decode_egress_replica)),
      static_endpoints_(context_.view.follow<StaticEndpoints>(
          {.resource = kSecrets,
           .ns = context_.view.ns(),
           .query = "labelSelector=" + escape_url(kConfigSecrets)},
          decode_static_endpoints)),
      recorder_devices_(context_) {}

void ParentStatus::reconcile() {
    collect();
    write_served();
    write_egress();
    write_unserved();
    write_name_server();
    write_classes();
    proxies_.clear();
    gone_.clear();
}

void ParentStatus::collect() {
    for (const auto& [pod, replica] : replicas_of(context_.view)) {
        if (!is_wanted(replica)) {
            add_places(device_of(replica), gone_);
        } else {
            Proxies& proxies = proxies_[replica.set->name];
            proxies.devices.push_back(described(replica, proxies));
            proxies.problem = proxies.problem.empty() ? context_.problem_of(pod) : proxies.problem;
        }
    }
}

// With what does not stand in the state Secret.
Device ParentStatus::described(const Replica& replica, Proxies& proxies) {
    Device device = device_of(replica);
    if (replica.set->is_recorder()) {
        const bool is_known =
            device.is_live() && recorder_devices_.describe(*replica.state, device);
        proxies.is_described = proxies.is_described && (is_known || !device.is_live());
    }
    const StaticEndpoints* endpoints =
        static_endpoints_.find(context_.view.key(std::string(replica.pod_name) + "-config"));
    device.static_endpoints =
        endpoints == nullptr ? static_endpoints(replica.config) : endpoints->addresses;
    return device;
}

void ParentStatus::write_served() {
    const bool has_operators = has_operators_sets(context_.view);
    for (const auto& [unused, set] : context_.view.sets().objects()) {
        const Parent* parent = context_.parents.find(set.parent);
        // While the operator serves it the status is the operator's.
        if (set.contract != kContractVersion || parent == nullptr || is_of_group(*parent) ||
            (has_operators && !operators_set(context_.view, {.set = &set}).empty())) {
            continue;
        }
        const Proxies& proxies = proxies_[set.name];
        if (has_other_class(*parent, context_.ingress_class)) {  // until its proxy is pruned
            std::set<std::string> gone;
            for (const Device& device : proxies.devices) {
                add_places(device, gone);
            }
            context_.status.write(*parent, unserved_status(*parent, gone));
        } else if (auto change = status_of(*parent, proxies)) {
            context_.status.write(*parent, std::move(*change));
        }
    }
}

void ParentStatus::write_egress() {
    std::map<std::string_view, const ProxySet*> sets;  // by name of the ProxyGroup
    const bool has_operators = has_operators_sets(context_.view);
    constexpr std::string_view kPrefix = "ProxyGroup/";
    for (const auto& [unused, set] : context_.view.sets().objects()) {
        if (set.parent.view().starts_with(kPrefix)) {
            sets[set.parent.view().substr(kPrefix.size())] = &set;
        }
    }
    for (const auto& [unused, service] : context_.parents.all("Service")) {
        const std::string_view group = egress_group(service);
        const bool has_been_led = !condition_status(service, "TailscaleEgressSvcReady").empty();
        if (group.empty() && has_been_led) {
            context_.status.write(service, no_egress_status());
        }
        const auto set = sets.find(group);
        if (set == sets.end()) {
            // The operator may have the group.
            if (!group.empty() && has_been_led && !has_operators) {
                context_.status.write(service, egress_status(service, {}, {}));
            }
            continue;
        }
        if (set->second->contract != kContractVersion) {
            continue;
        }
        const Proxies& proxies = proxies_[std::string(set->second->name)];
        std::vector<const EgressReplica*> replicas;
        replicas.reserve(proxies.devices.size());
        for (const Device& device : proxies.devices) {
            replicas.push_back(egress_replicas_.find(context_.view.key(device.pod)));
        }
        context_.status.write(service, egress_status(service, proxies.devices, replicas));
    }
}

void ParentStatus::write_unserved() {
    std::set<std::string> served;
    for (const auto& [unused, set] : context_.view.sets().objects()) {
        // One of the operator's may be that parent's.
        served.insert(set.contract.empty() ? labelled_parent(set.labels) : std::string(set.parent));
    }
    for (const std::string_view kind : {"Service", "Ingress"}) {
        for (const auto& [unused, parent] : context_.parents.all(kind)) {
            const bool is_served = !is_of_group(parent) && served.contains(contract_name(parent));
            if (!is_served &&
                (!gone_.empty() || !condition_status(parent, "TailscaleProxyReady").empty())) {
                context_.status.write(parent, unserved_status(parent, gone_));
            }
        }
    }
    if (has_operators_sets(context_.view)) {
        return;  // one of them may be a group's
    }
    for (const auto& [unused, group] : context_.parents.all("ProxyGroup")) {
        if (!condition_status(group, "ProxyGroupReady").empty() &&
            !served.contains(contract_name(group))) {
            context_.status.write(
                group, group_status(group, {.devices = {}, .problem = "it has no StatefulSet"}));
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
            {.type = "NameserverReady",
             .is_true = has_address,
             .reason = has_address ? "NameserverCreated" : "NameserverCreationFailed",
             .message = has_address ? "NameserverCreated"
                                    : "there is no Service \"nameserver\" with an address"});
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
                                 EventType::Warning, ready.reason, ready.message);
        }
        StatusChange change;
        change.conditions.push_back(std::move(ready));
        context_.status.write(its_class, std::move(change));
    }
}

std::string lines_that_fit(std::string table, std::size_t limit) {
    if (table.size() <= limit) {
        return table;
    }
    const std::size_t end = table.rfind('\n', limit - 1) + 1;
    const auto omitted =
        std::count(table.begin() + static_cast<std::ptrdiff_t>(end), table.end(), '\n');
    table.resize(end);
    return table + fmt::format("{{\"omitted\":{}}}\n", omitted);
}

void DevicesTable::reconcile() {
    context_.ledger.set(
        std::string(kDevicesKey),
        lines_that_fit(devices_table(replicas_of(context_.view), context_.problem_of)));
}

}  // namespace runtime
