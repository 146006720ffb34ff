#include "runtime/controller/group_decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "runtime/base/time_text.h"

namespace runtime {

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

// How pods lead one service on: a mapping for each family that the cluster has.
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

std::optional<GroupStep> decide_certificate(const Certificate& certificate, const Group& group) {
    group_step::NoteCertificate note{.hash = certificate.hash, .roll = {}};
    const auto stays = [&certificate](const Pod* pod) {
        return pod != nullptr &&
               std::count(certificate.roll.begin(), certificate.roll.end(), pod->uid) > 0;
    };
    if (certificate.hash.empty() || certificate.hash == certificate.noted_hash) {
        const bool over =
            !certificate.roll.empty() && std::none_of(group.pods.begin(), group.pods.end(), stays);
        note.hash = certificate.noted_hash;
        return over ? std::optional<GroupStep>(note) : std::nullopt;
    }
    // The first one that there is finds pods that have read nothing, and look again by themselves.
    for (std::size_t i = 1; i < group.pods.size() && !certificate.noted_hash.empty(); ++i) {
        if (group.pods[i] != nullptr && !group.pods[i]->leaving) {
            note.roll.push_back(group.pods[i]->uid);
        }
    }
    return note;
}

}  // namespace

bool Group::has_joined() const {
    return std::any_of(states.begin(), states.end(), [](const StateSecret* state) {
        return state != nullptr && !state->device().empty();
    });
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

std::map<std::string, std::string> desired_table(const ServiceRecords& records,
                                                 const KnownAddresses& known,
                                                 const std::map<std::string, std::string>& old) {
    std::map<std::string, std::map<std::string, Value>> groups;
    const auto add = [&](const std::string& key, const ServiceRecord& record) {
        const std::string service(split_record_key(key).service);
        const auto tailnet = known.tailnet.find(key);
        const auto cluster = known.cluster.find(key);
        auto found = tailnet != known.tailnet.end() && cluster != known.cluster.end()
                         ? std::optional(mapping(tailnet->second, cluster->second))
                         : old_mapping(old, record.group, service);
        if (found.has_value()) {
            groups[record.group].insert_or_assign(service, std::move(*found));
        }
    };
    // One that moves to another tailnet has two records: the one that is offered counts.
    for (const bool gone : {true, false}) {
        for (const auto& [key, record] : records) {
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
    if (!records.empty()) {
        table.emplace(kServicesDatum, write_records(records));
    }
    return table;
}

std::optional<GroupStep> decide_service(const ServiceState& service, Time now,
                                        Duration cleanup_delay) {
    if (service.record == nullptr) {
        return std::nullopt;  // it is written down first
    }
    if (service.offered == nullptr) {
        const auto age = age_of(parse_time(service.record->gone_since), now);
        return age.has_value() && *age >= cleanup_delay
                   ? std::optional<GroupStep>(group_step::Remove{})
                   : std::nullopt;
    }
    if (!service.offered->offer->certificate.empty() && service.certificate == nullptr) {
        return group_step::CreateCertificate{};
    }
    if (service.old_certificate != nullptr) {
        return group_step::DeleteCertificate{};
    }
    if (!service.is_registered) {
        return service.offered->group->has_joined()
                   ? std::optional<GroupStep>(group_step::Register{})
                   : std::nullopt;
    }
    return service.certificate == nullptr
               ? std::nullopt
               : decide_certificate(*service.certificate, *service.offered->group);
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
        std::string operator()(const group_step::NoteCertificate& note) const {
            return fmt::format("note certificate \"{}\", to be read again by {} pods", note.hash,
                               note.roll.size());
        }
        std::string operator()(const group_step::DeleteCertificate&) const {
            return "delete the certificate of its old name";
        }
        std::string operator()(const group_step::Register&) const { return "register"; }
        std::string operator()(const group_step::Remove&) const { return "remove"; }
    };
    return std::visit(Describer(), step);
}

}  // namespace runtime
