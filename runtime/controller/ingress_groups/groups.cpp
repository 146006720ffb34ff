#include "runtime/controller/ingress_groups/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/group_config.h"
#include "runtime/controller/decide.h"
#include "runtime/controller/ingress_groups/service_table.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/object_status/proxy_status.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

namespace {

constexpr Duration kGroupRecheck = std::chrono::hours(1);  // of the tailnet's answers
// Two clusters that put a service at the same time do not see each other: the first one finds out
// when it looks again, after a random time. The operator waits as long.
constexpr Duration kSecondLook = std::chrono::minutes(5);
constexpr Duration kFirstGroupRetry = std::chrono::seconds(1);
constexpr Duration kLastGroupRetry = std::chrono::minutes(5);
constexpr int kGroupGlitches = 1;  // failures that are not reported
constexpr std::string_view kTableSlot = "the table";
constexpr std::string_view kAccountsSlot = "the accounts";

std::string group_slot(std::string_view group) {
    return fmt::format("group {}", group);
}

}  // namespace

Groups::Groups(const FeatureContext& context)
    : context_(context),
      apply_(context),
      tables_(context.view.follow<AddressTable>(context.view.config_maps(), decode_address_table)),
      services_(context.view.follow<ClusterAddresses>({.kind = kube::kServices},
                                                      decode_cluster_addresses)),
      steps_(context.loop, context.random, {.first = kFirstGroupRetry, .longest = kLastGroupRetry},
             [&view = context.view](const std::string&) { view.changed(); }) {}

void Groups::reconcile(const Changes& /*changes*/) {
    const auto seen = look();
    if (!seen.has_value()) {
        return;
    }
    Unserved left = unserved(*seen);
    context_.ledger.set(std::string(kOwnerKey), context_.owner);
    keep_table(*seen, left);
    keep_accounts(*seen);
    ask_guard(seen->records);
    for (const auto& [key, unused] : seen->records) {
        consider(*seen, key);
    }
    context_.service_guard.write_down();
    for (const auto& [unused, group] : seen->groups) {
        roll(group, seen->told);
    }
    write_status(*seen);
    tell_services(*seen);
    for (auto& [unused, one] : left) {
        context_.status.write(*one.parent, std::move(one.status));
    }
}

std::optional<Groups::Seen> Groups::look() {
    const ClusterView& view = context_.view;
    Seen seen;
    if (const auto* table = tables_.find(view.key(renderer::kIngressAddresses))) {
        seen.table = *table;
    }
    auto records = read_records(seen.table);
    auto told = read_told(seen.table);
    if (!records.has_value() || !told.has_value()) {
        report(std::string(kTableSlot),
               fmt::format(
                   "cannot read \"{}\" of ConfigMap \"{}\"",
                   records.has_value() ? renderer::kCertificatesDatum : renderer::kServicesDatum,
                   renderer::kIngressAddresses));
        return std::nullopt;
    }
    seen.records = std::move(*records);
    seen.told = std::move(*told);
    for (const auto& [unused, config] : view.groups().objects()) {
        const ProxySet* set = view.sets().find(view.key(config.name));
        report_config(config);
        if (config.contract == renderer::kContractVersion && config.problem.empty() &&
            set != nullptr && set->contract == renderer::kContractVersion) {
            seen.groups.emplace(config.name, group_of(config, *set));
        } else {
            seen.untouched.insert(config.name);
        }
    }
    seen.offered = all_offered(seen.groups);
    for (const auto& [unused, offered] : seen.offered) {
        seen.certificates.insert(offered.offer->certificate);
    }
    return seen;
}

Group Groups::group_of(const GroupConfig& config, const ProxySet& set) const {
    const ClusterView& view = context_.view;
    Group group{.config = &config, .set = &set, .pods = {}, .states = {}, .auths = {}};
    for (int ordinal = 0; ordinal < set.replicas; ++ordinal) {
        const std::string name = fmt::format("{}-{}", set.name, ordinal);
        const std::string pod = view.key(name);
        group.pods.push_back(view.pods().find(pod));
        group.states.push_back(view.states().find(pod));
        group.auths.push_back(view.auths().find(view.key(auth_name(name, set.is_api_proxy))));
    }
    return group;
}

KnownAddresses Groups::known_addresses(const ServiceRecords& records) const {
    KnownAddresses known;
    for (const auto& [key, record] : records) {
        constexpr std::string_view kService = "Service/";
        const auto registered = registered_.find(key);
        if (!record.parent.starts_with(kService) || registered == registered_.end() ||
            !registered->second.said.is_there) {
            continue;
        }
        known.tailnet.emplace(key, registered->second.said.addresses);
        if (const auto* found = services_.find(record.parent.substr(kService.size()))) {
            known.cluster.emplace(key, found->ips);
        }
    }
    return known;
}

void Groups::ask_guard(const ServiceRecords& records) {
    Departures departures;
    for (const auto& [key, record] : records) {
        if (!record.gone_since.empty()) {
            departures.leaving.insert(key);
            leaving_.try_emplace(key, context_.loop.uptime());
        }
    }
    departures.wanted = records.size() - departures.leaving.size();
    std::erase_if(leaving_, [&departures](const auto& leaver) {
        return !departures.leaving.contains(leaver.first);
    });
    context_.service_guard.ask(std::move(departures), context_.loop.now());
    context_.service_guard.tell(context_.events);
}

bool Groups::may_remove(const Seen& seen, const std::string& key) {
    const auto leaver = leaving_.find(key);
    return !seen.untouched.contains(seen.records.at(key).group) && leaver != leaving_.end() &&
           context_.loop.uptime() - leaver->second >= context_.cleanup_delay &&
           context_.service_guard.may_remove(key, context_.loop.now());
}

void Groups::keep_table(const Seen& seen, const Unserved& unserved) {
    ServiceRecords old = seen.records;
    std::erase_if(removed_, [&seen](const std::string& key) {
        return !seen.records.contains(key) || seen.offered.contains(key);
    });
    for (const std::string& key : removed_) {
        old.erase(key);
    }
    std::set<std::string> certificates;
    for (const auto& [unused, certificate] : context_.view.certificates().objects()) {
        if (!seen.certificates.contains(certificate.name)) {
            certificates.insert(certificate.name);
        }
    }
    std::set<std::string> told;
    for (const auto& [name, one] : unserved) {
        if (!context_.status.is_said(*one.parent, one.status)) {
            told.insert(name);
        }
    }
    const auto records = desired_records({.old = old,
                                          .offered = seen.offered,
                                          .untouched = seen.untouched,
                                          .certificates = certificates,
                                          .told = told},
                                         context_.loop.now());
    AddressTable table{.version = seen.table.version,
                       .data = desired_table({.records = records,
                                              .told = told_now(seen),
                                              .owner = context_.owner,
                                              .known = known_addresses(records),
                                              .old = seen.table.data})};
    const std::string slot(kTableSlot);
    if (table.data != seen.table.data && steps_.may_begin(slot)) {
        apply_.write_table(table, begin(slot));
    }
}

// Checks it from time to time, because the pods lose their accounts when it is deleted.
void Groups::keep_accounts(const Seen& seen) {
    const bool is_needed = std::ranges::any_of(
        seen.groups, [](const auto& group) { return group.second.set->shares_acme_account; });
    const bool is_due =
        !accounts_seen_.has_value() || context_.loop.uptime() - *accounts_seen_ >= kGroupRecheck;
    const std::string slot(kAccountsSlot);
    if (is_needed && is_due && steps_.may_begin(slot)) {
        apply_.create_accounts([this, done = begin(slot)](const std::string& problem) {
            if (problem.empty()) {
                accounts_seen_ = context_.loop.uptime();
            }
            done(problem);
        });
    }
}

ToldCertificates Groups::told_now(const Seen& seen) const {
    std::map<std::string, std::string> hashes;
    for (const auto& [unused, certificate] : context_.view.certificates().objects()) {
        if (!certificate.hash.empty()) {
            hashes.emplace(certificate.name, certificate.hash);
        }
    }
    std::set<std::string> sets;
    for (const auto& [group, unused] : seen.told) {
        if (context_.view.sets().find(context_.view.key(group)) != nullptr) {
            sets.insert(group);
        }
    }
    return desired_told({.old = seen.told, .groups = seen.groups, .hashes = hashes, .sets = sets});
}

const Certificate* Groups::find_certificate(const std::string& name) const {
    return context_.view.certificates().find(context_.view.key(name));
}

void Groups::consider(const Seen& seen, const std::string& key) {
    const auto offered = seen.offered.find(key);
    if (offered != seen.offered.end()) {
        renew_slot(key, *offered->second.offer);
    }
    if (!steps_.may_begin(key) || removed_.contains(key)) {
        return;
    }
    const ServiceRecord& record = seen.records.at(key);
    const auto registered = registered_.find(key);
    ServiceState service{.record = &record,
                         .offered = offered == seen.offered.end() ? nullptr : &offered->second,
                         .certificate = nullptr,
                         .old_certificate = nullptr,
                         .is_registered = false,
                         .is_advertised = false};
    if (!seen.certificates.contains(record.certificate)) {
        service.old_certificate = find_certificate(record.certificate);
    }
    if (service.offered != nullptr) {
        service.certificate = find_certificate(service.offered->offer->certificate);
    }
    service.is_registered = registered != registered_.end() && service.offered != nullptr &&
                            registered->second.said.is_there &&
                            registered->second.offer == *service.offered->offer &&
                            context_.loop.uptime() < registered->second.ask_at;
    if (const auto group = seen.groups.find(record.group); group != seen.groups.end()) {
        service.is_advertised = group->second.advertises(split_record_key(key).service);
    }
    const auto step = decide_service(service, context_.loop.now(), context_.cleanup_delay);
    if (!step.has_value()) {
        slots_[key].problem.clear();
        return;
    }
    if (!std::holds_alternative<group_step::Remove>(*step) || may_remove(seen, key)) {
        run(key, service, *step);
    }
}

void Groups::run(const std::string& key, const ServiceState& service, const GroupStep& step) {
    const bool removes = std::holds_alternative<group_step::Remove>(step);
    const Next done = begin(key, removes ? Told{context_.ledger.reference(), "CannotRemove"}
                                         : Told{context_.parents.reference(service.record->parent),
                                                "CannotRegisterService"});
    if (std::holds_alternative<group_step::Register>(step)) {
        const Offer& offer = *service.offered->offer;
        context_.log.debug("step", {{"service", key}, {"step", describe(step)}});
        return apply_.register_service(
            key, offer,
            [this, key, offer](Registration said) {
                const Duration ask_at = next_look(said);
                registered_[key] = {.offer = offer, .ask_at = ask_at, .said = std::move(said)};
            },
            done);
    }
    context_.log.info("step", {{"service", key}, {"step", describe(step)}});
    if (std::holds_alternative<group_step::CreateCertificate>(step)) {
        return apply_.create_certificate(service.offered->group->config->name,
                                         *service.offered->offer, done);
    }
    if (std::holds_alternative<group_step::DeleteCertificate>(step)) {
        return apply_.delete_certificate(*service.old_certificate, done);
    }
    registered_.erase(key);  // an interrupted removal may have changed it when it is offered again
    apply_.remove(
        key, *service.record, service.old_certificate,
        [this, key, done](const std::string& problem) {
            if (problem.empty()) {
                removed_.insert(key);
            }
            done(problem.empty() ? problem : fmt::format("cannot remove \"{}\": {}", key, problem));
        });
}

Duration Groups::next_look(const Registration& said) const {
    const auto more = context_.random.below(static_cast<std::uint64_t>(kSecondLook.count()));
    return context_.loop.uptime() +
           (said.is_new ? kSecondLook + Duration(static_cast<Duration::rep>(more)) : kGroupRecheck);
}

void Groups::roll(const Group& group, const ToldCertificates& told) {
    std::set<std::string> uids;
    if (const auto its = told.find(group.config->name); its != told.end()) {
        for (const Offer& offer : group.config->offers) {
            if (const auto one = its->second.find(offer.certificate); one != its->second.end()) {
                uids.insert(one->second.roll.begin(), one->second.roll.end());
            }
        }
    }
    const Pod* pod = uids.empty() ? nullptr : decide_roll(uids, group.pods);
    const std::string slot = group_slot(group.config->name);
    std::string& last = rolling_[group.config->name];
    if (pod == nullptr || pod->uid == last || !steps_.may_begin(slot)) {
        return;
    }
    // Until its deletion shows, our copy says that the pod serves.
    for (const Pod* other : group.pods) {
        if (other != nullptr && other->uid == last && !other->leaving) {
            return;
        }
    }
    context_.log.info("step",
                      {{"pod", pod->name}, {"step", "delete: its certificate is outdated"}});
    last = pod->uid;
    apply_.delete_pod(
        *pod, [this, name = group.config->name, done = begin(slot)](const std::string& problem) {
            if (!problem.empty()) {
                rolling_.erase(name);
            }
            done(problem);
        });
}

void Groups::write_status(const Seen& seen) {
    for (const auto& [key, offered] : seen.offered) {
        const Parent* parent = context_.parents.find(offered.offer->parent);
        const bool is_known = registered_.contains(key);
        // The status of an earlier process stays until this one knows as much.
        if (parent == nullptr || (!is_known && offered.group->has_joined()) ||
            (parent->kind != "ProxyGroup" && has_own_proxy(*parent))) {
            continue;
        }
        const OfferedState state = state_of(key, offered);
        if (lacks_https(state)) {
            context_.events.post(context_.parents.reference(offered.offer->parent),
                                 kube::EventType::Warning, kHttpsIsOff,
                                 std::string(kHttpsIsOffProblem));
        }
        context_.status.write(*parent, parent->kind == "Ingress" ? group_ingress_status(state)
                                       : parent->kind == "Service"
                                           ? group_service_status(*parent, state)
                                           : group_api_status(state));
    }
}

OfferedState Groups::state_of(const std::string& key, const Offered& offered) const {
    OfferedState state{.offered = offered, .registration = {}, .has_certificate = false};
    if (const auto registered = registered_.find(key); registered != registered_.end()) {
        state.registration = registered->second.said;
    }
    if (const auto* certificate = find_certificate(offered.offer->certificate)) {
        state.has_certificate = !certificate->hash.empty();
    }
    return state;
}

void Groups::tell_services(const Seen& seen) {
    std::map<std::string, ToldService> told;
    for (const auto& [key, offered] : seen.offered) {
        const auto slot = slots_.find(key);
        const bool has_failed = slot != slots_.end() && steps_.failures(key) > kGroupGlitches;
        // The line of an earlier process stays until this one knows as much.
        if (!registered_.contains(key) && offered.group->has_joined() && !has_failed) {
            return;
        }
        told.emplace(key, ToldService{state_of(key, offered),
                                      has_failed ? slot->second.problem : std::string()});
    }
    context_.ledger.set(std::string(kServicesKey),
                        lines_that_fit(services_table(seen.records, told), kServicesLimit),
                        kLedgerPause);
}

bool Groups::has_own_proxy(const Parent& parent) const {
    return !is_of_group(parent) && set_of(context_.view, contract_name(parent)) != nullptr;
}

Groups::Unserved Groups::unserved(const Seen& seen) const {
    std::set<std::string_view> served;
    for (const auto& [unused, offered] : seen.offered) {
        served.insert(offered.offer->parent);
    }
    Unserved all;
    for (const auto& [key, record] : seen.records) {
        const auto offered = seen.offered.find(key);
        const std::string_view name = offered != seen.offered.end()
                                          ? left_parent(record, *offered->second.offer)
                                      : record.gone_since.empty() ? std::string_view()
                                                                  : record.parent;
        const Parent* parent = context_.parents.find(name);
        if (parent != nullptr && !served.contains(name) && !has_own_proxy(*parent)) {
            const auto one =
                all.try_emplace(std::string(name), Bereft{parent, group_unserved_status(*parent)});
            one.first->second.status.gone.insert(record.certificate);
        }
    }
    return all;
}

void Groups::renew_slot(const std::string& key, const Offer& offer) {
    Slot& slot = slots_[key];
    if (!steps_.is_busy(key) && !(slot.offer == offer)) {
        steps_.forget(key);
        slot = Slot();
        slot.offer = offer;
    }
}

Next Groups::begin(const std::string& slot, const Told& told) {
    steps_.begin(slot);
    return [this, slot, told](const std::string& problem) {
        if (problem.empty()) {
            return steps_.succeed(slot);
        }
        steps_.fail(slot);
        report(slot, problem);
        if (!told.about.name.empty()) {
            tell(slot, told, problem);
        }
    };
}

void Groups::tell(const std::string& slot, const Told& told, const std::string& problem) {
    const auto registered = registered_.find(slot);
    const bool is_refused =
        registered != registered_.end() && registered->second.said.refusal == problem;
    if (is_refused || steps_.failures(slot) > kGroupGlitches) {
        context_.events.post(told.about, kube::EventType::Warning,
                             is_refused ? "InvalidTailscaleService" : told.reason, problem);
    }
}

void Groups::report(const std::string& slot, const std::string& problem) {
    std::string& last = slots_[slot].problem;
    if (last != problem && !problem.empty()) {
        context_.log.warning("a group is blocked", {{"for", slot}, {"cause", problem}});
    }
    last = problem;
}

void Groups::report_config(const GroupConfig& config) {
    report(group_slot(config.name) + "'s ConfigMap", config.problem);
    if (!config.problem.empty()) {
        context_.events.post(
            context_.view.reference(kube::kConfigMaps,
                                    fmt::format("{}{}", renderer::kGroupPrefix, config.name),
                                    config.uid),
            kube::EventType::Warning, "InvalidGroup", config.problem);
    }
}

}  // namespace runtime::controller
