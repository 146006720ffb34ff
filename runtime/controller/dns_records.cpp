#include "runtime/controller/dns_records.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "renderer/core/ascii.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/devices.h"
#include "runtime/controller/notices.h"
#include "runtime/controller/replicas.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kNameserver = "nameserver";
constexpr std::string_view kFile = "records.json";

using Names = std::map<std::string, std::set<std::string>>;  // to their addresses

std::string_view name_of(const Value& object) {
    return text_of(object.at({"metadata", "name"}));
}

std::vector<std::string> texts_of(const Value* list) {
    std::vector<std::string> texts;
    if (list != nullptr && list->is_list()) {
        texts.reserve(list->size());
        for (const Value& item : list->items()) {
            texts.emplace_back(text_of(item));
        }
    }
    return texts;
}

// A condition that is not there counts as fine (discovery.k8s.io/v1, EndpointConditions).
bool is_ready(const Value& endpoint) {
    const auto is = [&](std::string_view condition, bool by_default) {
        const Value* found = endpoint.at({"conditions", condition});
        return found == nullptr || !found->is_bool() ? by_default : found->as_bool();
    };
    return is("ready", true) && is("serving", true) && !is("terminating", false);
}

// Where in the tailnet the user's Service leads; "": nowhere by name.
std::string_view fqdn_of(const Mirror<DnsService>::Objects& services, const std::string& service) {
    const auto found = services.find(service);
    return found == services.end() ? std::string_view() : found->second.fqdn;
}

// The name of a proxy that is one pod of its own; "": it has none.
std::string single_name(const Replica& replica, const Mirror<DnsService>::Objects& services) {
    const std::string_view type =
        find_label(replica.set->labels, "tailscale.com/parent-resource-type");
    if (type == "ingress") {
        const Device device = device_of(replica);
        return device.is_live() ? device.https_name : std::string();
    }
    if (type != "svc") {
        return {};
    }
    return std::string(fqdn_of(
        services,
        fmt::format("{}/{}", find_label(replica.set->labels, "tailscale.com/parent-resource-ns"),
                    find_label(replica.set->labels, "tailscale.com/parent-resource"))));
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
    DnsService service;
    service.fqdn = renderer::lower_case(
        text_of(object.at({"metadata", "annotations", "tailscale.com/tailnet-fqdn"})));
    if (service.fqdn.ends_with('.')) {
        service.fqdn.pop_back();
    }
    if (label("tailscale.com/svc-type") == "egress" &&
        !label("tailscale.com/proxy-group").empty()) {
        service.parent = fmt::format("{}/{}", label("tailscale.com/parent-resource-ns"),
                                     label("tailscale.com/parent-resource"));
        service.addresses = texts_of(object.at({"spec", "clusterIPs"}));
        std::erase(service.addresses, "None");
    }
    return service.fqdn.empty() && service.parent.empty() ? std::nullopt : std::optional(service);
}

std::optional<DnsEndpoints> decode_dns_endpoints(const Value& object) {
    DnsEndpoints slice{.service = std::string(text_of(
                           object.at({"metadata", "labels", "kubernetes.io/service-name"})))};
    const Value* endpoints = object.find("endpoints");
    if (slice.service.empty() || text_of(object.find("addressType")) == "FQDN" ||
        endpoints == nullptr || !endpoints->is_list()) {
        return std::nullopt;
    }
    for (const Value& endpoint : endpoints->items()) {
        if (is_ready(endpoint)) {
            const auto addresses = texts_of(endpoint.find("addresses"));
            slice.addresses.insert(slice.addresses.end(), addresses.begin(), addresses.end());
        }
    }
    return slice.addresses.empty() ? std::nullopt : std::optional(slice);
}

std::optional<NameserverService> decode_nameserver(const Value& object) {
    NameserverService service{
        .uid = std::string(text_of(object.at({"metadata", "uid"}))),
        .contract =
            std::string(text_of(object.at({"metadata", "annotations", kContractAnnotation})))};
    const bool is_one = name_of(object) == kNameserver && !service.contract.empty() &&
                        text_of(object.at({"metadata", "annotations", kParentAnnotation}))
                            .starts_with("DNSConfig/");
    return is_one ? std::optional(service) : std::nullopt;
}

std::optional<WrittenRecords> decode_written_records(const Value& object) {
    if (name_of(object) != kDnsRecords) {
        return std::nullopt;
    }
    return WrittenRecords{
        .version = std::string(text_of(object.at({"metadata", "resourceVersion"}))),
        .text = std::string(text_of(object.at({"data", kFile})))};
}

std::string dns_records(const std::map<std::string, Replica>& replicas,
                        const Mirror<DnsService>::Objects& services,
                        const Mirror<DnsEndpoints>::Objects& endpoints, std::string_view ns) {
    std::multimap<std::string_view, std::string> names_of_sets;
    for (const auto& [unused, replica] : replicas) {
        const std::string name =
            is_wanted(replica) ? single_name(replica, services) : std::string();
        if (!name.empty()) {
            names_of_sets.emplace(replica.set->name, name);
        }
    }
    Names names;
    for (const auto& [unused, slice] : endpoints) {
        const auto [first, last] = names_of_sets.equal_range(slice.service);
        for (auto entry = first; entry != last; ++entry) {
            names[entry->second].insert(slice.addresses.begin(), slice.addresses.end());
        }
    }
    for (const auto& [key, service] : services) {
        const std::string_view fqdn = fqdn_of(services, service.parent);
        if (!fqdn.empty() && key.view().starts_with(fmt::format("{}/", ns))) {
            names[std::string(fqdn)].insert(service.addresses.begin(), service.addresses.end());
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
      services_(context.view.follow<DnsService>({.resource = kServices}, decode_dns_service)),
      endpoints_(context.view.follow<DnsEndpoints>(
          {.resource = kEndpointSlices, .ns = context.view.ns()}, decode_dns_endpoints)),
      nameservers_(
          context.view.follow<NameserverService>({.resource = kServices}, decode_nameserver)),
      written_(context.view.follow<WrittenRecords>(context.view.config_maps(),
                                                   decode_written_records)) {}

void DnsRecords::reconcile(const Changes& /*changes*/) {
    const NameserverService* nameserver = nameservers_.find(context_.view.key(kNameserver));
    if (nameserver == nullptr || is_writing_) {
        return;
    }
    if (nameserver->contract != kContractVersion) {
        context_.events.post({.api_version = "v1",
                              .kind = "Service",
                              .ns = context_.view.ns(),
                              .name = std::string(kNameserver),
                              .uid = nameserver->uid},
                             EventType::Warning, "UnknownContract",
                             unknown_contract(nameserver->contract));
        return;
    }
    std::map<std::string, Replica> replicas;
    Replicas(context_.view).each([&replicas](const Replica& replica) {
        replicas.emplace(replica.pod_name, replica);
    });
    const std::string text =
        dns_records(replicas, services_.objects(), endpoints_.objects(), context_.view.ns());
    const WrittenRecords* written = written_.find(context_.view.key(kDnsRecords));
    if (written == nullptr || written->text != text) {
        write(text, written);
    }
}

void DnsRecords::write(const std::string& text, const WrittenRecords* written) {
    Value object = Value::map(
        {{"apiVersion", "v1"},
         {"kind", "ConfigMap"},
         {"metadata", Value::map({{"name", kDnsRecords}, {"namespace", context_.view.ns()}})},
         {"data", Value::map({{Value::borrowed(kFile), text}})}});
    const auto done = [this](const KubeReply& reply) {
        is_writing_ = false;
        if (!reply.ok()) {  // tried again after ten seconds, or after the next change
            context_.log.warning("cannot write the nameserver's records",
                                 {{"cause", reply.message}});
            return;
        }
        context_.view.wrote(context_.view.config_maps(), reply.object);
        context_.view.changed();
    };
    is_writing_ = true;
    if (written == nullptr) {
        context_.kube.create(path_of(kConfigMaps, context_.view.ns()), object, done);
        return;
    }
    object.find("metadata")->put("resourceVersion", written->version);
    context_.kube.replace(path_of(kConfigMaps, context_.view.ns(), kDnsRecords), object, done);
}

}  // namespace runtime
