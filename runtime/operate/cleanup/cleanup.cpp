#include "runtime/operate/cleanup/cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "renderer/contract/controller_objects.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/tailnet_config.h"
#include "runtime/controller/ingress_groups/group_objects.h"
#include "runtime/controller/records/devices.h"
#include "runtime/controller/records/devices_table.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/adopt/adopt_plan.h"
#include "runtime/operate/adopt/adopt_record.h"
#include "runtime/operate/adopt/stock_operator.h"
#include "runtime/operate/apart.h"
#include "runtime/operate/cleanup/cleanup_guard.h"
#include "runtime/operate/hidden_states.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

using renderer::Value;

namespace {

constexpr std::string_view kNothingLeft = "nothing left of the controller";

bool is_controllers_config_map(const Value& map) {
    const std::string name = name_of(map);
    // The operator's DNS records have the same name.
    return name == renderer::kIngressAddresses || controller::is_devices_table(name) ||
           (name == renderer::kDnsRecords && custom_owner(map).empty());
}

std::string in_a_line(const renderer::Diagnostic& diagnostic) {
    std::string line = diagnostic.message;
    if (!diagnostic.found.empty()) {
        line += fmt::format(": {}, expected {}", diagnostic.found, diagnostic.expected);
    }
    return diagnostic.hint.empty() ? line : line + ": " + diagnostic.hint;
}

}  // namespace

std::string problem_of(const tailnet::Reply& reply, std::string_view what) {
    return reply.ok() || reply.not_found() ? std::string()
                                           : fmt::format("{}: {}", what, reply.message);
}

Cleanup::Cleanup(const OperateContext& context, Transport& transport, Log& log,
                 RandomSource& random, CleanupWish wish, OwnTailnet own)
    : context_(context),
      transport_(transport),
      log_(log),
      random_(random),
      wish_(std::move(wish)),
      own_(std::move(own)),
      configs_(renderer::decode_tailnet, [](std::string_view, const renderer::TailnetConfig*,
                                            const renderer::TailnetConfig*) {}) {}

void Cleanup::start(Next done) {
    done_ = std::move(done);
    kube::Client& kube = context_.kube;
    run_in_order({list_all(kube, kube::path_of(kDeployments, context_.ns), deployments_),
                  list_all(kube, kube::path_of(kube::kStatefulSets, context_.ns), sets_),
                  list_all(kube, kube::path_of(kube::kPods, context_.ns), pods_),
                  add_apart(kube, deployments_, sets_, pods_, nullptr),
                  list_all(kube, kube::path_of(kube::kSecrets, context_.ns), secrets_),
                  list_all(kube, kube::path_of(kube::kConfigMaps, context_.ns), config_maps_),
                  list_all(kube, kube::path_of(kube::kLeases, context_.ns), leases_),
                  list_all(kube, kube::path_of(kube::kServices, {}), user_services_),
                  list_all(kube, kube::path_of(kube::kIngresses, {}), user_ingresses_),
                  list_held(context_, held_)},
                 [this](const std::string& problem) { problem.empty() ? look() : done_(problem); });
}

void Cleanup::look_at_secrets() {
    secret_names_.clear();
    show_hidden_states(secrets_);
    named_ = named_devices(secrets_, sets_);
    for (const Value& secret : secrets_) {
        if (const auto auth = controller::decode_auth_secret(secret)) {
            const auto device = controller::device_of(controller::Replica{.auth = &*auth});
            served_.places.insert(device.fqdn);
            served_.places.insert(device.addresses.begin(), device.addresses.end());
            keys_.insert({std::string(auth->tailnet), std::string(auth->key_id)});
            served_.parents.insert(parent_of(parent_labels(secret)));
        }
        const bool is_record = secret.at({"metadata", "labels", kRecordLabel}) != nullptr;
        if (is_record || secret.at({"metadata", "labels", renderer::kSecretLabel}) != nullptr) {
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
    if (name == controller::kLedgerName) {
        predecessor_ = controller::annotation_of(map, renderer::kPredecessorAnnotation);
    }
    const auto table = controller::decode_address_table(map);
    const auto records = table ? controller::read_records(*table) : std::nullopt;
    for (const auto& [key, record] : records.value_or(controller::ServiceRecords())) {
        const controller::RecordName parts = controller::split_record_key(key);
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
    const Value* ledger = find_named(config_maps_, controller::kLedgerName);
    const Value* table = find_named(config_maps_, renderer::kIngressAddresses);
    mark_ =
        controller::mark_of(ledger == nullptr ? none : *ledger, table == nullptr ? none : *table);
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
        tailnets_->job(named.claim.tailnet, [this, named](tailnet::Api& api, const Next& next) {
            api.get_device(named.claim.device, [this, named, next](const tailnet::Reply& reply) {
                if (!reply.ok()) {
                    return next(problem_of(
                        reply, fmt::format("cannot read device {}", named.claim.device)));
                }
                const controller::TailnetDevice device =
                    controller::decode_tailnet_device(reply.body);
                const std::string objection =
                    named.is_noted ? std::string()
                                   : controller::prove(named.claim, device, "").objection;
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
    const Job unknown = [](const Next& next) { next(std::string(controller::kUnknownTailnet)); };
    // A false claim of a pod does not stop the cleanup.
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

// Prints each line once. A device that one replica wrongly claims may be another one's own.
void Cleanup::tell_what_stays() {
    const Value* accounts = find_named(secrets_, renderer::kAcmeAccounts);
    if (accounts != nullptr && !takes_accounts() && !std::exchange(told_accounts_, true)) {
        context_.say(
            fmt::format("leaves Secret {}, which has the private keys of {} accounts at the ACME "
                        "server: use --acme-accounts to remove it as well",
                        renderer::kAcmeAccounts, accounts_in(*accounts)));
    }
    for (const auto& [device, why] : left_) {
        if (!devices_.contains(device) && told_left_.insert(device).second) {
            context_.say("leaves " + why);
        }
    }
}

void Cleanup::show() {
    const std::vector<std::string> lines = found();
    tell_what_stays();
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
    if (wish_.yes) {
        return remove();
    }
    for (const std::string& line : lines) {
        context_.say("would remove " + line);
    }
    context_.say("nothing was removed; use --yes to remove these");
    done_({});
}

// Returns the controller's own tailnet (""), and each tailnet that has objects of ours.
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
    const Value deployment = find_controller(deployments_);
    if (wish_.login_server.empty()) {
        auto named = login_server_of(deployment);
        if (!named) {
            return in_a_line(named.error().diagnostic);
        }
        wish_.login_server = std::move(*named);
    }
    auto own = own_(wish_.login_server, oauth_secret_of(deployment));
    if (!own) {
        return in_a_line(own.error().diagnostic);
    }
    context_.say(fmt::format("the controller's tailnet is at {}", own->server));
    tailnets_.emplace(context_.loop, transport_, context_.kube, log_, random_, context_.ns,
                      std::move(*own), account_of(deployment, context_.ns), configs_);
    return unreachable();
}

// Returns a message if a tailnet with objects of ours cannot be reached, or if these objects cannot
// be identified; else "".
std::string Cleanup::unreachable() {
    for (const std::string& tailnet : tailnets()) {
        std::string problem;
        if (tailnets_->find(tailnet, problem) == nullptr) {
            return fmt::format(
                "tailnet \"{}\" has devices or keys of the controller, but {}: apply it again",
                tailnet, problem);
        }
    }
    if (services_.empty() || !mark_.empty()) {
        return {};
    }
    return fmt::format(
        "ConfigMap \"{}\" is missing, and \"{}\" does not identify the controller's Tailscale "
        "Services: delete "
        "the latter to keep them",
        controller::kLedgerName, renderer::kIngressAddresses);
}

void Cleanup::remove() {
    std::vector<Job> jobs = key_jobs();
    jobs.push_back(list_all(context_.kube, kube::path_of(kube::kSecrets, context_.ns), secrets_));
    run_in_order(std::move(jobs), [this](const std::string& problem) {
        problem.empty() ? remove_all_but_keys() : done_(problem);
    });
}

// Reads the Secrets again, since more devices may have joined.
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

}  // namespace runtime::operate
