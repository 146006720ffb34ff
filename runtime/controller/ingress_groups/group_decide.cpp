#include "runtime/controller/ingress_groups/group_decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/group_config.h"
#include "renderer/core/json.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/view/api_proxy_config.h"

namespace runtime::controller {

using renderer::Value;

namespace {

std::string table_key(std::string_view group) {
    return fmt::format("{}.json", group);
}

std::string_view of_family(const std::vector<std::string>& addresses, bool v6) {
    const auto found =
        std::find_if(addresses.begin(), addresses.end(), [v6](const std::string& address) {
            return (address.find(':') != std::string::npos) == v6;
        });
    return found == addresses.end() ? std::string_view() : std::string_view(*found);
}

// Returns how pods forward one service: a mapping for each family that the cluster has.
Value mapping(const std::vector<std::string>& tailnet, const std::vector<std::string>& cluster) {
    Value out = Value::map();
    for (const bool v6 : {false, true}) {
        if (const std::string_view ip = of_family(cluster, v6); !ip.empty()) {
            out.add(v6 ? Value("IPv6Mapping") : Value("IPv4Mapping"),
                    Value::map({{"TailscaleServiceIP", Value(of_family(tailnet, v6))},
                                {"ClusterIP", Value(ip)}}));
        }
    }
    return out;
}

std::optional<Value> old_mapping(const std::map<std::string, std::string>& table,
                                 std::string_view group, std::string_view service) {
    const auto datum = table.find(table_key(group));
    const auto json = datum == table.end() ? renderer::Result<Value>(Value())
                                           : renderer::read_json(datum->second);
    const Value* found = json ? json->at({service}) : nullptr;
    return found == nullptr ? std::nullopt : std::optional(found->clone());
}

bool leads_to_service(const ServiceRecord& record) {
    return record.parent.starts_with("Service/");
}

// Returns the pods that read a certificate; pod 0 has written it.
std::vector<std::string> readers_of(const Group& group) {
    std::vector<std::string> uids;
    for (std::size_t i = 1; i < group.pods.size(); ++i) {
        if (group.pods[i] != nullptr && !group.pods[i]->leaving) {
            uids.push_back(group.pods[i]->uid);
        }
    }
    return uids;
}

bool runs_any(const Group& group, const std::vector<std::string>& uids) {
    return std::any_of(group.pods.begin(), group.pods.end(), [&uids](const Pod* pod) {
        return pod != nullptr && std::count(uids.begin(), uids.end(), pod->uid) > 0;
    });
}

// For the first certificate no pod is rolled: they have read none, and look again by themselves.
ToldCertificate tell(const Group& group, const ToldCertificate* before, const std::string& hash) {
    ToldCertificate told{.hash = hash, .roll = {}};
    if (before != nullptr) {
        told.roll = before->hash == hash ? before->roll : readers_of(group);
    }
    if (!runs_any(group, told.roll)) {
        told.roll.clear();
    }
    return told;
}

std::map<std::string, ToldCertificate> told_of_group(
    const Group& group, const std::map<std::string, ToldCertificate>& old,
    const std::map<std::string, std::string>& hashes) {
    std::map<std::string, ToldCertificate> told;
    for (const Offer& offer : group.config->offers) {
        const auto before = old.find(offer.certificate);
        const auto hash = hashes.find(offer.certificate);
        const ToldCertificate* known = before == old.end() ? nullptr : &before->second;
        if (hash != hashes.end() || known != nullptr) {
            told.emplace(offer.certificate,
                         tell(group, known, hash == hashes.end() ? known->hash : hash->second));
        }
    }
    for (const auto& [name, before] : old) {
        const auto [one, has_left] = told.emplace(name, before);
        if (has_left && before.readers.empty()) {
            one->second.readers = readers_of(group);
        }
        if (has_left && !runs_any(group, one->second.readers)) {
            told.erase(one);
        }
    }
    return told;
}

}  // namespace

bool Group::has_joined() const {
    return std::any_of(states.begin(), states.end(), [](const StateSecret* state) {
        return state != nullptr && !state->device().empty();
    });
}

bool Group::advertises(std::string_view service) const {
    for (std::size_t i = 0; i < pods.size(); ++i) {
        const bool runs = pods[i] != nullptr && pods[i]->started_at.has_value();
        if (runs && states[i] != nullptr &&
            std::find(states[i]->services.begin(), states[i]->services.end(), service) !=
                states[i]->services.end()) {
            return true;
        }
    }
    return false;
}

AllOffered all_offered(const std::map<std::string, Group>& groups) {
    AllOffered all;
    for (const auto& [unused, group] : groups) {
        for (const Offer& offer : group.config->offers) {
            all.emplace(record_key(group.set->tailnet, offer.name),
                        Offered{.group = &group, .offer = &offer});
        }
    }
    return all;
}

std::string_view left_parent(const ServiceRecord& record, const Offer& offer) {
    return record.parent == offer.parent ? record.left : record.parent;
}

ServiceRecords desired_records(const RecordsInput& input, Time now) {
    ServiceRecords records;
    for (const auto& [key, one] : input.offered) {
        records.emplace(key, ServiceRecord{.group = one.group->config->name,
                                           .parent = one.offer->parent,
                                           .certificate = one.offer->certificate,
                                           .gone_since = {}});
    }
    for (const auto& [key, record] : input.old) {
        const auto [entry, is_gone] = records.emplace(key, record);
        if (is_gone && !age_of(parse_time(record.gone_since), now).has_value() &&
            !input.untouched.contains(record.group)) {
            entry->second.gone_since = format_seconds(now);
        }
        if (is_gone) {
            continue;
        }
        if (input.certificates.contains(record.certificate)) {
            entry->second.certificate = record.certificate;
        }
        const std::string left(left_parent(record, *input.offered.at(key).offer));
        if (input.told.contains(left)) {
            entry->second.left = left;
        }
    }
    return records;
}

std::map<std::string, std::string> desired_table(const TableInput& input) {
    std::map<std::string, std::map<std::string, Value>> groups;
    const auto add = [&](const std::string& key, const ServiceRecord& record) {
        const std::string service(split_record_key(key).service);
        const auto tailnet = input.known.tailnet.find(key);
        const auto cluster = input.known.cluster.find(key);
        auto found = tailnet != input.known.tailnet.end() && cluster != input.known.cluster.end()
                         ? std::optional(mapping(tailnet->second, cluster->second))
                         : old_mapping(input.old, record.group, service);
        if (found.has_value()) {
            groups[record.group].insert_or_assign(service, std::move(*found));
        }
    };
    // A service that moves to another tailnet has two records: the offered one counts.
    for (const bool gone : {true, false}) {
        for (const auto& [key, record] : input.records) {
            if (leads_to_service(record) && record.gone_since.empty() != gone) {
                add(key, record);
            }
        }
    }
    std::map<std::string, std::string> table;
    for (auto& [group, services] : groups) {
        Value all = Value::map();
        for (auto& [service, its_mapping] : services) {
            all.add(service, std::move(its_mapping));
        }
        table.emplace(table_key(group), renderer::write_json(all));
    }
    if (!input.records.empty()) {
        table.emplace(renderer::kServicesDatum, write_records(input.records));
    }
    if (!input.told.empty()) {
        table.emplace(renderer::kCertificatesDatum, write_told(input.told));
    }
    table.emplace(kOwnerKey, input.owner);
    return table;
}

ToldCertificates desired_told(const ToldInput& input) {
    ToldCertificates told;
    for (const auto& [name, its_old] : input.old) {
        if (!input.groups.contains(name) && input.sets.contains(name)) {
            told.emplace(name, its_old);
        }
    }
    for (const auto& [name, group] : input.groups) {
        const auto its_old = input.old.find(name);
        auto its = told_of_group(
            group,
            its_old == input.old.end() ? std::map<std::string, ToldCertificate>() : its_old->second,
            input.hashes);
        if (!its.empty()) {
            told.emplace(name, std::move(its));
        }
    }
    return told;
}

std::optional<GroupStep> decide_service(const ServiceState& service, Time now,
                                        Duration cleanup_delay) {
    if (service.record == nullptr) {
        return std::nullopt;  // it must be recorded first
    }
    if (service.offered == nullptr) {
        const auto age = age_of(parse_time(service.record->gone_since), now);
        const Duration wait =
            service.is_advertised ? std::max(cleanup_delay, kUnadvertisePatience) : cleanup_delay;
        return age.has_value() && *age >= wait ? std::optional<GroupStep>(group_step::Remove{})
                                               : std::nullopt;
    }
    if (!service.offered->offer->certificate.empty() && service.certificate == nullptr) {
        return group_step::CreateCertificate{};
    }
    if (service.old_certificate != nullptr) {
        return group_step::DeleteCertificate{};
    }
    return !service.is_registered && service.offered->group->has_joined()
               ? std::optional<GroupStep>(group_step::Register{})
               : std::nullopt;
}

const Pod* decide_roll(const std::set<std::string>& roll, const std::vector<const Pod*>& pods) {
    const auto next = std::find_if(pods.begin(), pods.end(), [&roll](const Pod* pod) {
        return pod != nullptr && roll.contains(pod->uid);
    });
    if (next == pods.end() || (*next)->leaving) {
        return nullptr;
    }
    const bool others_serve = std::all_of(pods.begin(), pods.end(), [next](const Pod* pod) {
        return pod == *next || (pod != nullptr && pod->ready && !pod->leaving);
    });
    return others_serve ? *next : nullptr;
}

std::map<std::string, std::string> desired_configs(const GroupConfig& group,
                                                   const std::set<std::string>& filled) {
    std::vector<std::string> services;
    for (const Offer& offer : group.offers) {
        if (filled.contains(offer.certificate)) {
            services.push_back(offer.name);
        }
    }
    std::map<std::string, std::string> configs;
    for (const auto& [pod, config] : group.proxies) {
        configs.emplace(pod, config_without_key(advertise(config, services)));
    }
    return configs;
}

std::string describe(const GroupStep& step) {
    struct Describer {
        std::string operator()(const group_step::CreateCertificate&) const {
            return "create the certificate's Secret";
        }
        std::string operator()(const group_step::DeleteCertificate&) const {
            return "delete the certificate of its old name";
        }
        std::string operator()(const group_step::Register&) const { return "register"; }
        std::string operator()(const group_step::Remove&) const { return "remove"; }
    };
    return std::visit(Describer(), step);
}

}  // namespace runtime::controller
