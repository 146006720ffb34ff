#include "runtime/controller/ingress_groups/group_objects.h"

#include <fmt/format.h>

#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/kube/label_value.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::Member;
using renderer::text_list;
using renderer::text_of;
using renderer::Value;

namespace {

// Returns a JSON datum; no value if it cannot be read.
std::optional<Value> read_map(const AddressTable& table, std::string_view key) {
    const auto datum = table.data.find(std::string(key));
    if (datum == table.data.end()) {
        return Value::map();
    }
    auto json = renderer::read_json(datum->second);
    return json && json->is_map() ? std::optional(std::move(*json)) : std::nullopt;
}

}  // namespace

std::optional<AddressTable> decode_address_table(const Value& object) {
    if (text_of(object.at({"metadata", "name"})) != renderer::kIngressAddresses) {
        return std::nullopt;
    }
    AddressTable table;
    table.version = text_of(object.at({"metadata", "resourceVersion"}));
    for (const Member& member : renderer::members_of(object.find("data"))) {
        table.data.emplace(member.name(), text_of(member.value));
    }
    return table;
}

std::optional<ClusterAddresses> decode_cluster_addresses(const Value& object) {
    ClusterAddresses addresses{.ips = texts_of(object.at({"spec", "clusterIPs"}))};
    std::erase(addresses.ips, "None");
    return addresses.ips.empty() ? std::nullopt : std::optional(addresses);
}

std::string record_key(std::string_view tailnet, std::string_view service) {
    return tailnet.empty() ? std::string(service) : fmt::format("{}/{}", tailnet, service);
}

RecordName split_record_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    return slash == std::string_view::npos
               ? RecordName{.tailnet = {}, .service = key}
               : RecordName{.tailnet = key.substr(0, slash), .service = key.substr(slash + 1)};
}

std::optional<ServiceRecords> read_records(const AddressTable& table) {
    const auto json = read_map(table, renderer::kServicesDatum);
    if (!json.has_value()) {
        return std::nullopt;
    }
    ServiceRecords records;
    for (const Member& member : json->members()) {
        const auto text = [&member](std::string_view key) {
            return std::string(text_of(member.value.at({key})));
        };
        records.emplace(member.name(), ServiceRecord{.group = text("group"),
                                                     .parent = text("parent"),
                                                     .certificate = text("certificate"),
                                                     .gone_since = text("goneSince"),
                                                     .left = text("left")});
    }
    return records;
}

std::string write_records(const ServiceRecords& records) {
    Value all = Value::map();
    for (const auto& [key, record] : records) {
        Value item = Value::map({{"group", record.group}, {"parent", record.parent}});
        put_if(item, !record.certificate.empty(), "certificate", Value(record.certificate));
        put_if(item, !record.gone_since.empty(), "goneSince", Value(record.gone_since));
        put_if(item, !record.left.empty(), "left", Value(record.left));
        all.add(key, std::move(item));
    }
    return renderer::write_json(all);
}

std::optional<ToldCertificates> read_told(const AddressTable& table) {
    const auto json = read_map(table, renderer::kCertificatesDatum);
    if (!json.has_value()) {
        return std::nullopt;
    }
    ToldCertificates told;
    for (const Member& group : json->members()) {
        if (!group.value.is_map()) {
            return std::nullopt;
        }
        for (const Member& one : group.value.members()) {
            told[std::string(group.name())].emplace(
                one.name(), ToldCertificate{.hash = std::string(text_of(one.value.at({"hash"}))),
                                            .roll = texts_of(one.value.at({"roll"})),
                                            .readers = texts_of(one.value.at({"readers"}))});
        }
    }
    return told;
}

std::string write_told(const ToldCertificates& told) {
    Value all = Value::map();
    for (const auto& [group, certificates] : told) {
        Value its = Value::map();
        for (const auto& [name, one] : certificates) {
            Value item = Value::map({{"hash", one.hash}});
            put_if(item, !one.roll.empty(), "roll", text_list(one.roll));
            put_if(item, !one.readers.empty(), "readers", text_list(one.readers));
            its.add(name, std::move(item));
        }
        all.add(group, std::move(its));
    }
    return renderer::write_json(all);
}

Value address_table(std::string_view ns, const AddressTable& table) {
    Value data = Value::map();
    for (const auto& [key, text] : table.data) {
        data.add(key, text);
    }
    Value metadata =
        Value::map({{"name", Value(renderer::kIngressAddresses)}, {"namespace", Value(ns)}});
    put_if(metadata, !table.version.empty(), "resourceVersion", Value(table.version));
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", std::move(metadata)},
                       {"data", std::move(data)}});
}

Value accounts_secret(std::string_view ns) {
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata", Value::map({{"name", Value(renderer::kAcmeAccounts)},
                                  {"namespace", Value(ns)},
                                  {"labels", Value::map({{renderer::label::kManaged, "true"}})},
                                  {"finalizers", Value::list({renderer::kAcmeFinalizer})}})}});
}

Value certificate_secret(std::string_view ns, std::string_view group, const Offer& offer) {
    // Kind/namespace/name, or ProxyGroup/name.
    const std::string_view parent = offer.parent;
    const std::size_t first = parent.find('/');
    const std::size_t last = parent.rfind('/');
    Value labels =
        Value::map({{renderer::label::kManaged, "true"},
                    {renderer::label::kProxyGroup, Value(group)},
                    {renderer::label::kDomain, renderer::shortened_label(offer.certificate)},
                    {renderer::label::kSecretType, renderer::label::kCertificateType}});
    labels.add(renderer::label::kParent, Value(parent.substr(last + 1)));
    labels.add(renderer::label::kParentType,
               std::string_view(offer.is_exclusive() ? renderer::kProxyGroupPods.parent_type
                                                     : renderer::kIngressPods.parent_type));
    put_if(labels, first != last, renderer::label::kParentNamespace,
           Value(first == last ? parent : parent.substr(first + 1, last - first - 1)));
    labels.add(Value(renderer::kSecretLabel), Value(renderer::kCertificateSecret));
    Value annotations = Value::map();
    annotations.add(Value(renderer::kSetAnnotation), Value(group));
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Secret"},
                       {"metadata", Value::map({{"name", offer.certificate},
                                                {"namespace", Value(ns)},
                                                {"labels", std::move(labels)},
                                                {"annotations", std::move(annotations)}})},
                       {"type", "kubernetes.io/tls"},
                       {"data", Value::map({{"tls.crt", ""}, {"tls.key", ""}})}});
}

}  // namespace runtime::controller
