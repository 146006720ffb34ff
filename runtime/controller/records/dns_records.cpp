#include "runtime/controller/records/dns_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "runtime/controller/records/devices.h"
#include "runtime/controller/records/notices.h"
#include "runtime/controller/view/objects.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kNameserver = "nameserver";
constexpr std::string_view kFile = "records.json";

using Names = std::map<std::string, std::set<std::string>>;  // to their addresses

std::string_view metadata_name(const Value& object) {
    return text_of(object.at({"metadata", "name"}));
}

// A missing condition counts as true for readiness (discovery.k8s.io/v1, EndpointConditions).
bool is_ready(const Value& endpoint) {
    const auto is = [&](std::string_view condition, bool by_default) {
        const Value* found = endpoint.at({"conditions", condition});
        return found == nullptr || !found->is_bool() ? by_default : found->as_bool();
    };
    return is("ready", true) && is("serving", true) && !is("terminating", false);
}

// Returns what the Service targets in the tailnet through its group; "" if that is not a name.
std::string_view name_in_group(const Mirror<EgressNames>::Objects& groups, std::string_view ns,
                               const DnsService& service) {
    const auto group =
        groups.find(fmt::format("{}/{}", ns, renderer::egress_config_name(service.group)));
    if (group == groups.end()) {
        return {};
    }
    const auto found = group->second.names.find(service.parent);
    return found == group->second.names.end() ? std::string_view() : found->second;
}

// Returns the name of a proxy with a single pod; "" if it has none.
std::string single_name(const Replica& replica) {
    const std::string_view type = find_label(replica.set->labels, renderer::label::kParentType);
    if (type == renderer::kIngressPods.parent_type) {
        const Device device = device_of(replica);
        return device.is_live() ? device.https_name : std::string();
    }
    return std::string(type == renderer::kServicePods.parent_type ? replica.set->target_fqdn.view()
                                                                  : std::string_view());
}

Value addresses_of(const Names& names, bool six) {
    Value map = Value::map();
    for (const auto& [name, addresses] : names) {
        Value list = Value::list();
        for (const std::string& address : addresses) {
            if ((address.find(':') != std::string::npos) == six) {
                list.append(address);
            }
        }
        if (list.size() > 0) {
            map.add(name, std::move(list));
        }
    }
    return map;
}

}  // namespace

std::optional<DnsService> decode_dns_service(const Value& object) {
    const auto label = [&](std::string_view key) {
        return text_of(object.at({"metadata", "labels", key}));
    };
    if (label(renderer::label::kServiceType) != renderer::label::kEgress ||
        label(renderer::label::kProxyGroup).empty()) {
        return std::nullopt;
    }
    DnsService service{
        .group = std::string(label(renderer::label::kProxyGroup)),
        .parent = fmt::format("{}-{}", label(renderer::label::kParentNamespace),
                              label(renderer::label::kParent)),
        .addresses = texts_of(object.at({"spec", "clusterIPs"})),
    };
    std::erase(service.addresses, "None");
    return service;
}

std::optional<EgressNames> decode_egress_names(const Value& object) {
    const std::string_view text = text_of(object.at({"binaryData", renderer::kEgressDatum}));
    if (!metadata_name(object).ends_with(renderer::kEgressConfigSuffix) || text.empty()) {
        return std::nullopt;
    }
    const auto services = renderer::read_json(renderer::decode_base64(text).value_or(""));
    EgressNames group;
    for (const renderer::Member& service : renderer::members_of(services ? &*services : nullptr)) {
        std::string name = dns_name(text_of(service.value.at({"tailnetTarget", "fqdn"})));
        if (!name.empty()) {
            group.names.emplace(service.name(), std::move(name));
        }
    }
    return group.names.empty() ? std::nullopt : std::optional(std::move(group));
}

std::optional<DnsEndpoints> decode_dns_endpoints(const Value& object) {
    DnsEndpoints slice{.service = std::string(text_of(
                           object.at({"metadata", "labels", "kubernetes.io/service-name"})))};
    if (slice.service.empty() || text_of(object.find("addressType")) == "FQDN") {
        return std::nullopt;
    }
    for (const Value& endpoint : renderer::items_of(object.find("endpoints"))) {
        if (is_ready(endpoint)) {
            const auto addresses = texts_of(endpoint.find("addresses"));
            slice.addresses.insert(slice.addresses.end(), addresses.begin(), addresses.end());
        }
    }
    return slice.addresses.empty() ? std::nullopt : std::optional(slice);
}

std::optional<NameserverService> decode_nameserver(const Value& object) {
    NameserverService service{.uid = std::string(text_of(object.at({"metadata", "uid"}))),
                              .contract = std::string(text_of(object.at(
                                  {"metadata", "annotations", renderer::kContractAnnotation})))};
    const bool is_one = metadata_name(object) == kNameserver && !service.contract.empty() &&
                        text_of(object.at({"metadata", "annotations", renderer::kParentAnnotation}))
                            .starts_with("DNSConfig/");
    return is_one ? std::optional(service) : std::nullopt;
}

std::optional<WrittenRecords> decode_written_records(const Value& object) {
    if (metadata_name(object) != renderer::kDnsRecords) {
        return std::nullopt;
    }
    return WrittenRecords{
        .version = std::string(text_of(object.at({"metadata", "resourceVersion"}))),
        .text = std::string(text_of(object.at({"data", kFile})))};
}

std::string dns_records(const std::map<std::string, Replica>& replicas,
                        const Mirror<DnsService>::Objects& services,
                        const Mirror<EgressNames>::Objects& groups,
                        const Mirror<DnsEndpoints>::Objects& endpoints, std::string_view ns) {
    std::multimap<std::string_view, std::string> names_of_sets;
    for (const auto& [unused, replica] : replicas) {
        std::string name = is_wanted(replica) ? single_name(replica) : std::string();
        if (!name.empty()) {
            names_of_sets.emplace(replica.set->name, std::move(name));
        }
    }
    Names names;
    for (const auto& [unused, slice] : endpoints) {
        const auto [first, last] = names_of_sets.equal_range(slice.service);
        for (auto entry = first; entry != last; ++entry) {
            names[entry->second].insert(slice.addresses.begin(), slice.addresses.end());
        }
    }
    const std::string ours = fmt::format("{}/", ns);
    for (const auto& [key, service] : services) {
        const std::string_view name =
            key.view().starts_with(ours) ? name_in_group(groups, ns, service) : std::string_view();
        if (!name.empty()) {
            names[std::string(name)].insert(service.addresses.begin(), service.addresses.end());
        }
    }
    Value records = Value::map({{"version", "v1alpha1"}, {"ip4", addresses_of(names, false)}});
    Value six = addresses_of(names, true);
    const bool has_six = six.size() > 0;
    put_if(records, has_six, "ip6", std::move(six));
    return renderer::write_json(records);
}

DnsRecords::DnsRecords(const FeatureContext& context)
    : context_(context),
      services_(context.view.follow<DnsService>({.kind = kube::kServices}, decode_dns_service)),
      groups_(context.view.follow<EgressNames>(context.view.config_maps(), decode_egress_names)),
      endpoints_(context.view.follow<DnsEndpoints>(
          {.kind = kube::kEndpointSlices, .ns = context.view.ns()}, decode_dns_endpoints)),
      nameservers_(
          context.view.follow<NameserverService>({.kind = kube::kServices}, decode_nameserver)),
      written_(context.view.follow<WrittenRecords>(context.view.config_maps(),
                                                   decode_written_records)) {}

// True if the pod's proxy may have another name now.
bool DnsRecords::concerns(const std::string& pod) const {
    const auto name = split_replica(pod);
    const ProxySet* set =
        name.has_value() ? context_.view.sets().find(context_.view.key(name->set)) : nullptr;
    return set == nullptr || !set->target_fqdn.empty() ||
           find_label(set->labels, renderer::label::kParentType) ==
               renderer::kIngressPods.parent_type;
}

void DnsRecords::reconcile(const Changes& changes) {
    const std::uint64_t revision = services_.revision() + groups_.revision() +
                                   endpoints_.revision() + nameservers_.revision() +
                                   written_.revision();
    is_due_ =
        is_due_ || changes.everything || std::exchange(revision_, revision) != revision ||
        std::ranges::any_of(changes.pods, [this](const std::string& pod) { return concerns(pod); });
    const NameserverService* nameserver = nameservers_.find(context_.view.key(kNameserver));
    if (nameserver == nullptr || is_writing_ || !std::exchange(is_due_, false)) {
        return;
    }
    if (nameserver->contract != renderer::kContractVersion) {
        context_.events.post(context_.view.reference(kube::kServices, kNameserver, nameserver->uid),
                             kube::EventType::Warning, "UnknownContract",
                             unknown_contract(nameserver->contract));
        return;
    }
    std::map<std::string, Replica> replicas;
    Replicas(context_.view).each([&replicas](const Replica& replica) {
        const auto copy = replicas.emplace(replica.pod_name, replica).first;
        copy->second.pod_name = copy->first;
    });
    const std::string text = dns_records(replicas, services_.objects(), groups_.objects(),
                                         endpoints_.objects(), context_.view.ns());
    const WrittenRecords* written = written_.find(context_.view.key(renderer::kDnsRecords));
    if (written == nullptr || written->text != text) {
        write(text, written);
    }
}

void DnsRecords::write(const std::string& text, const WrittenRecords* written) {
    Value object = Value::map({{"apiVersion", "v1"},
                               {"kind", "ConfigMap"},
                               {"metadata", Value::map({{"name", renderer::kDnsRecords},
                                                        {"namespace", context_.view.ns()}})},
                               {"data", Value::map({{Value::borrowed(kFile), text}})}});
    const auto done = [this](const kube::Reply& reply) {
        is_writing_ = false;
        if (!reply.ok()) {  // retried after ten seconds, or after the next change
            is_due_ = true;
            context_.log.warning("cannot write the nameserver's records",
                                 {{"cause", reply.message}});
            return;
        }
        context_.view.wrote(context_.view.config_maps(), reply.object);
        context_.view.changed();
    };
    is_writing_ = true;
    if (written == nullptr) {
        context_.kube.create(kube::path_of(kube::kConfigMaps, context_.view.ns()), object, done);
        return;
    }
    object.find("metadata")->put("resourceVersion", written->version);
    context_.kube.replace(
        kube::path_of(kube::kConfigMaps, context_.view.ns(), renderer::kDnsRecords), object, done);
}

}  // namespace runtime::controller
