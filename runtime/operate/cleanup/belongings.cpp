#include "runtime/operate/cleanup/belongings.h"

#include "renderer/contract/controller_objects.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "runtime/controller/ingress_groups/group_objects.h"
#include "runtime/controller/records/devices.h"
#include "runtime/controller/records/devices_table.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/apart.h"
#include "runtime/operate/hidden_states.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::operate {

using renderer::Value;

namespace {

bool is_controllers_config_map(const Value& map) {
    const std::string name = name_of(map);
    // The operator's DNS records have the same name.
    return name == renderer::kIngressAddresses || controller::is_devices_table(name) ||
           (name == renderer::kDnsRecords && custom_owner(map).empty());
}

}  // namespace

std::vector<Job> read_objects(const OperateContext& context, ClusterObjects& objects) {
    kube::Client& kube = context.kube;
    return {list_all(kube, kube::path_of(kDeployments, context.ns), objects.deployments),
            list_all(kube, kube::path_of(kube::kStatefulSets, context.ns), objects.sets),
            list_all(kube, kube::path_of(kube::kPods, context.ns), objects.pods),
            add_apart(kube, objects.deployments, objects.sets, objects.pods, nullptr),
            list_all(kube, kube::path_of(kube::kSecrets, context.ns), objects.secrets),
            list_all(kube, kube::path_of(kube::kConfigMaps, context.ns), objects.config_maps),
            list_all(kube, kube::path_of(kube::kLeases, context.ns), objects.leases),
            list_all(kube, kube::path_of(kube::kServices, {}), objects.services),
            list_all(kube, kube::path_of(kube::kIngresses, {}), objects.ingresses),
            list_held(context, objects.held)};
}

Belongings::Belongings()
    : configs(renderer::decode_tailnet, [](std::string_view, const renderer::TailnetConfig*,
                                           const renderer::TailnetConfig*) {}) {}

void Belongings::take_secrets(ClusterObjects& objects) {
    secret_names.clear();
    show_hidden_states(objects.secrets);
    named = named_devices(objects.secrets, objects.sets);
    for (const Value& secret : objects.secrets) {
        if (const auto auth = controller::decode_auth_secret(secret)) {
            const auto device = controller::device_of(controller::Replica{.auth = &*auth});
            served.places.insert(device.fqdn);
            served.places.insert(device.addresses.begin(), device.addresses.end());
            keys.insert({std::string(auth->tailnet), std::string(auth->key_id)});
            served.parents.insert(parent_of(parent_labels(secret)));
        }
        const bool is_record = secret.at({"metadata", "labels", kRecordLabel}) != nullptr;
        if (is_record || secret.at({"metadata", "labels", renderer::kSecretLabel}) != nullptr) {
            secret_names.push_back(name_of(secret));
        }
    }
    served.places.erase("");
    std::erase_if(keys, [](const TailnetId& key) { return key.id.empty(); });
}

void Belongings::take_config_map(const Value& map) {
    configs.put(map);
    const std::string name = name_of(map);
    if (is_controllers_config_map(map)) {
        config_map_names.push_back(name);
    }
    if (name == controller::kLedgerName) {
        predecessor = controller::annotation_of(map, renderer::kPredecessorAnnotation);
    }
    const auto table = controller::decode_address_table(map);
    const auto records = table ? controller::read_records(*table) : std::nullopt;
    for (const auto& [key, record] : records.value_or(controller::ServiceRecords())) {
        const controller::RecordName parts = controller::split_record_key(key);
        services.push_back(
            {.tailnet = std::string(parts.tailnet), .name = std::string(parts.service)});
        served.parents.insert(record.parent);
        if (!record.certificate.empty()) {
            served.places.insert(record.certificate);
        }
    }
}

void Belongings::take_config_maps(const Objects& maps) {
    configs.begin_list();
    for (const Value& map : maps) {
        take_config_map(map);
    }
    configs.end_list();
    const Value none{};
    const Value* ledger = find_named(maps, controller::kLedgerName);
    const Value* table = find_named(maps, renderer::kIngressAddresses);
    mark =
        controller::mark_of(ledger == nullptr ? none : *ledger, table == nullptr ? none : *table);
}

std::set<std::string> Belongings::tailnets() const {
    std::set<std::string> names{""};
    for (const NamedDevice& device : named) {
        if (device.is_noted) {
            names.insert(device.claim.tailnet);
        }
    }
    for (const TailnetId& key : keys) {
        names.insert(key.tailnet);
    }
    for (const Service& service : services) {
        names.insert(service.tailnet);
    }
    return names;
}

}  // namespace runtime::operate
