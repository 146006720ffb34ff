#include "runtime/operate/cleanup/cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/groups/group_objects.h"
#include "runtime/controller/groups/service_owner.h"
#include "runtime/controller/keys/key_sweep.h"
#include "runtime/controller/records/devices.h"
#include "runtime/controller/records/devices_table.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/operate/adopt/adopt_plan.h"
#include "runtime/operate/adopt/adopt_record.h"
#include "runtime/operate/adopt/reference_operator.h"
#include "runtime/operate/cleanup/cleanup_guard.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

using renderer::Value;

namespace {

// What is removed, before its name.
constexpr std::string_view kAuthKey = "auth key", kTailscaleService = "Tailscale Service",
                           kStatusOf = "status of", kSecret = "Secret", kLease = "Lease",
                           kConfigMap = "ConfigMap";

std::string thing(std::string_view kind, std::string_view name) {
    return fmt::format("{} {}", kind, name);
}

constexpr std::string_view kNothingLeft = "nothing left of the controller";

bool is_controllers_config_map(const Value& map) {
    const std::string name = name_of(map);
    // The operator's records have the same name.
    return name == renderer::kIngressAddresses || is_devices_table(name) ||
           (name == kDnsRecords && custom_owner(map).empty());
}

// nullptr: it is not there.
const Value* find_named(const std::vector<Value>& objects, std::string_view name) {
    const auto found = std::find_if(objects.begin(), objects.end(), [name](const Value& object) {
        return name_of(object) == name;
    });
    return found == objects.end() ? nullptr : &*found;
}

std::string in_a_line(const renderer::Diagnostic& diagnostic) {
    std::string line = diagnostic.message;
    if (!diagnostic.found.empty()) {
        line += fmt::format(": {}, expected {}", diagnostic.found, diagnostic.expected);
    }
    return diagnostic.hint.empty() ? line : line + ": " + diagnostic.hint;
}

std::string problem_of(const TailnetReply& reply, std::string_view what) {
    return reply.ok() || reply.not_found() ? std::string()
                                           : fmt::format("{}: {}", what, reply.message);
}

}  // namespace

Cleanup::Cleanup(const OperateContext& context, Transport& transport, Log& log, Chance& chance,
                 CleanupWish wish, OwnTailnet own)
    : context_(context),
      transport_(transport),
      log_(log),
      chance_(chance),
      wish_(std::move(wish)),
      own_(std::move(own)),
      configs_(decode_tailnet,
               [](std::string_view, const TailnetConfig*, const TailnetConfig*) {}) {}

void Cleanup::start(Next done) {
    done_ = std::move(done);
    KubeClient& kube = context_.kube;
    run_in_order({list_all(kube, path_of(kDeployments, context_.ns), deployments_),
                  list_all(kube, path_of(kStatefulSets, context_.ns), sets_),
                  list_all(kube, path_of(kPods, context_.ns), pods_),
                  list_all(kube, path_of(kSecrets, context_.ns), secrets_),
                  list_all(kube, path_of(kConfigMaps, context_.ns), config_maps_),
                  list_all(kube, path_of(kLeases, context_.ns), leases_),
                  list_all(kube, path_of(kServices, {}), user_services_),
                  list_all(kube, path_of(kIngresses, {}), user_ingresses_)},
                 [this](const std::string& problem) { problem.empty() ? look() : done_(problem); });
}

void Cleanup::look_at_secrets() {
    secret_names_.clear();
    named_ = named_devices(secrets_, sets_);
    for (const Value& secret : secrets_) {
        if (const auto auth = decode_auth_secret(secret)) {
            const auto device = device_of(Replica{.auth = &*auth});
            served_.places.insert(device.fqdn);
            served_.places.insert(device.addresses.begin(), device.addresses.end());
            keys_.insert({std::string(auth->tailnet), std::string(auth->key_id)});
            served_.parents.insert(parent_of(parent_labels(secret)));
        }
        const bool is_record = secret.at({"metadata", "labels", kRecordLabel}) != nullptr;
        if (is_record || secret.at({"metadata", "labels", kSecretLabel}) != nullptr) {
            secret_names_.push_back(name_of(secret));
        }
    }
    served_.places.erase("");
    std::erase_if(keys_, [](const Device& key) { return key.id.empty(); });
}

void Cleanup::look_at_config_map(const Value& map) {
    configs_.put(map);
    const std::string name = name_of(map);
    if (is_controllers_config_map(map)) {
        config_map_names_.push_back(name);
    }
    if (name == kLedgerName) {
        predecessor_ = annotation_of(map, kPredecessorAnnotation);
    }
    const auto table = decode_address_table(map);
    const auto records = table ? read_records(*table) : std::nullopt;
    for (const auto& [key, record] : records.value_or(ServiceRecords())) {
        const RecordName parts = split_record_key(key);
        services_.push_back(
            {.tailnet = std::string(parts.tailnet), .name = std::string(parts.service)});
        served_.parents.insert(record.parent);
        if (!record.certificate.empty()) {
            served_.places.insert(record.certificate);
        }
    }
}

void Cleanup::look() {
    look_at_secrets();
    configs_.begin_list();
    for (const Value& map : config_maps_) {
        look_at_config_map(map);
    }
    configs_.end_list();
    const Value none{};
    const Value* ledger = find_named(config_maps_, kLedgerName);
    const Value* table = find_named(config_maps_, renderer::kIngressAddresses);
    mark_ = mark_of(ledger == nullptr ? none : *ledger, table == nullptr ? none : *table);
    if (const std::string problem = cleanup_objection(sets_, pods_, secrets_, wish_.force);
        !problem.empty()) {
        return done_(problem);
    }
    if (wish_.force) {
        return ask();
    }
    controller_must_rest(context_)(
        [this](const std::string& problem) { problem.empty() ? ask() : done_(problem); });
}

void Cleanup::ask() {
    if (named_.empty()) {
        return show();
    }
    if (const std::string problem = reach(); !problem.empty()) {
        return done_(problem);
    }
    prove_devices(
        [this](const std::string& problem) { problem.empty() ? show() : done_(problem); });
}

void Cleanup::prove_devices(Next next) {
    devices_.clear();
    left_.clear();
    std::vector<Job> jobs;
    jobs.reserve(named_.size());
    for (const NamedDevice& named : named_) {
        jobs.push_back(proof(named));
    }
    run_in_order(std::move(jobs), std::move(next));
}

Job Cleanup::proof(const NamedDevice& named) {
    const Job look =
        tailnets_->job(named.claim.tailnet, [this, named](TailnetApi& api, const Next& next) {
            api.get_device(named.claim.device, [this, named, next](const TailnetReply& reply) {
                if (!reply.ok()) {
                    return next(problem_of(
                        reply, fmt::format("cannot read device {}", named.claim.device)));
                }
                const TailnetDevice device = decode_tailnet_device(reply.body);
                const std::string objection =
                    named.is_noted ? std::string() : prove(named.claim, device, "").objection;
                const Device key{named.claim.tailnet, named.claim.device};
                if (objection.empty()) {
                    devices_[key] = {device.name, named.claim.parent};
                    served_.places.insert(device.name);
                    served_.places.insert(device.addresses.begin(), device.addresses.end());
                } else {
                    left_[key] = fmt::format("device {} ({}), which Secret {} names: {}",
                                             device.name, key.id, named.claim.pod, objection);
                }
                next({});
            });
        });
    const Job unknown = [](const Next& next) { next(std::string(kUnknownTailnet)); };
    // What a pod claims stops nothing.
    return [this, named, ask = named.claim.is_tailnet_noted ? look : unknown](const Next& next) {
        ask([this, named, next](const std::string& problem) {
            if (named.is_noted || problem.empty()) {
                return next(problem);
            }
            left_[{named.claim.tailnet, named.claim.device}] =
                fmt::format("device {}, which Secret {} names: {}", named.claim.device,
                            named.claim.pod, problem);
            next({});
        });
    };
}

// Once of each; what one replica claims in vain may be another one's own.
void Cleanup::tell_what_stays() {
    for (const auto& [device, why] : left_) {
        if (!devices_.contains(device) && told_left_.insert(device).second) {
            context_.say("leaves " + why);
        }
    }
}

void Cleanup::show() {
    const std::vector<std::string> lines = found();
    std::string problem;
    if (lines.empty()) {
        problem = missing_installation(context_.ns, deployments_, sets_, secrets_);
        if (problem.empty()) {
            context_.say(std::string(kNothingLeft));
        }
        return done_(problem);
    }
    problem = reach();
    if (!problem.empty()) {
        return done_(problem);
    }
    tell_what_stays();
    if (wish_.yes) {
        return remove();
    }
    for (const std::string& line : lines) {
        context_.say("would remove " + line);
    }
    context_.say("nothing was removed; use --yes to remove these");
    done_({});
}

// The controller's own, and those that hold something of ours.
std::set<std::string> Cleanup::tailnets() const {
    std::set<std::string> names{""};
    for (const NamedDevice& named : named_) {
        if (named.is_noted) {
            names.insert(named.claim.tailnet);
        }
    }
    for (const Device& key : keys_) {
        names.insert(key.tailnet);
    }
    for (const Service& service : services_) {
        names.insert(service.tailnet);
    }
    return names;
}

std::string Cleanup::reach() {
    if (tailnets_) {
        return {};
    }
    if (wish_.login_server.empty()) {
        auto named = login_server_of(find_operator(deployments_));
        if (!named) {
            return in_a_line(named.error().diagnostic);
        }
        wish_.login_server = std::move(*named);
    }
    auto own = own_(wish_.login_server);
    if (!own) {
        return in_a_line(own.error().diagnostic);
    }
    context_.say(fmt::format("the controller's tailnet is at {}", own->server));
    tailnets_.emplace(context_.loop, transport_, context_.kube, log_, chance_, context_.ns,
                      std::move(*own), own_account(), configs_);
    return unreachable();
}

// The controller's, whoever runs us.
OwnAccount Cleanup::own_account() const {
    const Value deployment = find_operator(deployments_);
    std::string name(
        renderer::text_of(deployment, {"spec", "template", "spec", "serviceAccountName"}));
    return [ns = context_.ns, name = std::move(name)]() -> renderer::Result<Account> {
        if (name.empty()) {
            return renderer::Error{
                {.rule = "no-account",
                 .message = "no Deployment names the ServiceAccount of the controller"}};
        }
        return Account{.ns = ns, .name = name};
    };
}

// What is in a tailnet, and nothing tells how to get at it.
std::string Cleanup::unreachable() {
    for (const std::string& tailnet : tailnets()) {
        std::string problem;
        if (tailnets_->find(tailnet, problem) == nullptr) {
            return fmt::format("tailnet \"{}\" has devices or keys of ours, but {}: apply it again",
                               tailnet, problem);
        }
    }
    if (services_.empty() || !mark_.empty()) {
        return {};
    }
    return fmt::format(
        "ConfigMap \"{}\" is missing, and \"{}\" does not identify our Tailscale Services: delete "
        "the latter to keep them",
        kLedgerName, renderer::kIngressAddresses);
}

std::string Cleanup::describe(const Device& device) const {
    const Known& known = devices_.at(device);
    return fmt::format("device {} ({}{}{})", known.name, device.id,
                       known.parent.empty() ? "" : ", ", known.parent);
}

bool Cleanup::has_lease() const {
    return find_named(leases_, kLeaseName) != nullptr;
}

std::vector<std::string> Cleanup::found() const {
    std::vector<std::string> lines;
    for (const Device& key : keys_) {
        lines.push_back(thing(kAuthKey, key.id));
    }
    for (const auto& [device, unused] : devices_) {
        lines.push_back(describe(device));
    }
    for (const Service& service : services_) {
        lines.push_back(thing(kTailscaleService, service.name));
    }
    for (const ServedParent& parent : told()) {
        lines.push_back(thing(kStatusOf, parent.name));
    }
    for (const std::string& name : secret_names_) {
        lines.push_back(thing(kSecret, name));
    }
    if (has_lease()) {
        lines.push_back(thing(kLease, kLeaseName));
    }
    for (const std::string& name : config_map_names_) {
        lines.push_back(thing(kConfigMap, name));
    }
    return lines;
}

Next Cleanup::told_of(std::string what, Next next) {
    return [this, what = std::move(what), next = std::move(next)](const std::string& problem) {
        if (problem.empty()) {
            context_.say("removed " + what);
        }
        next(problem);
    };
}

Job Cleanup::removal(std::string what, Job job) {
    return [this, what = std::move(what), job = std::move(job)](const Next& next) {
        job(told_of(what, next));
    };
}

Job Cleanup::on_tailnet(const std::string& tailnet,
                        std::function<void(TailnetApi&, TailnetDone)> call) {
    return tailnets_->job(tailnet, [call = std::move(call)](TailnetApi& api, const Next& next) {
        call(api,
             [next](const TailnetReply& reply) { next(problem_of(reply, "the tailnet refuses")); });
    });
}

Job Cleanup::release(const Service& service) {
    return tailnets_->job(service.tailnet, [this, service](TailnetApi& api, const Next& next) {
        api.get_service(service.name, [this, &api, service, next](const TailnetReply& reply) {
            const std::string what = thing(kTailscaleService, service.name);
            const Next told = told_of(what, next);
            if (!reply.ok()) {
                return told(problem_of(reply, "cannot read the Tailscale Service"));
            }
            const Release release = release_service({mark_, predecessor_}, reply.body);
            const auto done = [told](const TailnetReply& its_reply) {
                told(problem_of(its_reply, "cannot release the Tailscale Service"));
            };
            if (release.deletes) {
                return api.delete_service(service.name, done);
            }
            if (release.body.is_null()) {
                context_.say(what + " is kept: it is not ours");
                return next({});
            }
            api.put_service(service.name, release.body, done);
        });
    });
}

std::vector<Job> Cleanup::key_jobs() {
    std::vector<Job> jobs;
    for (const Device& key : keys_) {
        jobs.push_back(
            removal(thing(kAuthKey, key.id),
                    on_tailnet(key.tailnet, [id = key.id](TailnetApi& api, TailnetDone done) {
                        api.revoke_key(id, std::move(done));
                    })));
    }
    // Keys that were minted and written down nowhere.
    for (const std::string& tailnet : tailnets()) {
        jobs.push_back(tailnets_->job(tailnet, [this](TailnetApi& api, const Next& next) {
            mark_.empty() ? next({})
                          : sweep_keys(
                                api, mark_, [](const auto& tell) { tell({}); }, next);
        }));
    }
    return jobs;
}

std::vector<Job> Cleanup::device_jobs() {
    std::vector<Job> jobs;
    for (const auto& [device, unused] : devices_) {
        jobs.push_back(
            removal(describe(device),
                    on_tailnet(device.tailnet, [id = device.id](TailnetApi& api, TailnetDone done) {
                        api.delete_device(id, std::move(done));
                    })));
    }
    for (const Service& service : services_) {
        jobs.push_back(release(service));
    }
    return jobs;
}

// While the operator serves with proxies of its own, what is told may be its word.
std::vector<ServedParent> Cleanup::told() const {
    return std::any_of(sets_.begin(), sets_.end(), is_operators_set)
               ? std::vector<ServedParent>()
               : told_parents(user_services_, user_ingresses_, served_);
}

std::vector<Job> Cleanup::status_jobs() {
    const std::vector<ServedParent> parents = told();
    std::vector<Job> jobs;
    jobs.reserve(parents.size());
    for (const ServedParent& parent : parents) {
        jobs.push_back(
            removal(thing(kStatusOf, parent.name), clear_status(context_, parent, served_)));
    }
    return jobs;
}

std::vector<Job> Cleanup::kube_jobs() {
    std::vector<Job> jobs;
    const auto erase = [&](const renderer::Kind& kind, std::string_view title,
                           std::string_view name) {
        jobs.push_back(removal(thing(title, name),
                               erase_object(context_.kube, path_of(kind, context_.ns, name))));
    };
    for (const std::string& name : secret_names_) {
        erase(kSecrets, kSecret, name);
    }
    if (has_lease()) {
        erase(kLeases, kLease, kLeaseName);
    }
    // The ledger last: it says what is ours in the tailnets.
    std::vector<std::string> maps = config_map_names_;
    std::stable_partition(maps.begin(), maps.end(),
                          [](const std::string& name) { return name != kLedgerName; });
    for (const std::string& name : maps) {
        erase(kConfigMaps, kConfigMap, name);
    }
    return jobs;
}

void Cleanup::remove() {
    std::vector<Job> jobs = key_jobs();
    jobs.push_back(list_all(context_.kube, path_of(kSecrets, context_.ns), secrets_));
    run_in_order(std::move(jobs), [this](const std::string& problem) {
        problem.empty() ? remove_all_but_keys() : done_(problem);
    });
}

// What has joined since, too.
void Cleanup::remove_all_but_keys() {
    look_at_secrets();
    prove_devices([this](const std::string& problem) {
        problem.empty() ? remove_what_is_proven() : done_(problem);
    });
}

void Cleanup::remove_what_is_proven() {
    tell_what_stays();
    std::vector<Job> jobs = device_jobs();
    for (const auto more : {&Cleanup::status_jobs, &Cleanup::kube_jobs}) {
        for (Job& job : (this->*more)()) {
            jobs.push_back(std::move(job));
        }
    }
    run_in_order(std::move(jobs), [this](const std::string& problem) {
        if (problem.empty()) {
            context_.say(fmt::format("done; {}", kNothingLeft));
        }
        done_(problem);
    });
}

}  // namespace runtime
