// Lists the objects to remove, and creates the jobs that remove them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/controller_objects.h"
#include "renderer/contract/group_config.h"
#include "runtime/controller/ingress_groups/service_owner.h"
#include "runtime/controller/keys/key_sweep.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/operate/cleanup/cleanup.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::operate {

using renderer::Value;

namespace {

// The kinds of removed objects, printed before their names.
constexpr std::string_view kAuthKey = "auth key", kTailscaleService = "Tailscale Service",
                           kStatusOf = "status of", kFinalizersOf = "finalizers of",
                           kSecret = "Secret", kLease = "Lease", kConfigMap = "ConfigMap";

std::string thing(std::string_view kind, std::string_view name) {
    return fmt::format("{} {}", kind, name);
}

}  // namespace

bool Cleanup::has_lease() const {
    return find_named(objects_.leases, renderer::kLeaseName) != nullptr;
}

std::vector<std::string> Cleanup::found() const {
    std::vector<std::string> lines;
    for (const TailnetId& key : ours_.keys) {
        lines.push_back(thing(kAuthKey, key.id));
    }
    for (const auto& [device, unused] : proofs_.devices()) {
        lines.push_back(proofs_.describe(device));
    }
    for (const Belongings::Service& service : ours_.services) {
        lines.push_back(thing(kTailscaleService, service.name));
    }
    for (const ServedParent& parent : told()) {
        lines.push_back(thing(kStatusOf, parent.name));
    }
    for (const HeldObject& held : held()) {
        lines.push_back(thing(kFinalizersOf, held.name));
    }
    for (const std::string& name : ours_.secret_names) {
        lines.push_back(thing(kSecret, name));
    }
    if (takes_accounts()) {
        lines.push_back(thing(kSecret, renderer::kAcmeAccounts));
    }
    if (has_lease()) {
        lines.push_back(thing(kLease, renderer::kLeaseName));
    }
    for (const std::string& name : ours_.config_map_names) {
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
                        std::function<void(tailnet::Api&, tailnet::Done)> call) {
    return tailnets_->job(tailnet, [call = std::move(call)](tailnet::Api& api, const Next& next) {
        call(api, [next](const tailnet::Reply& reply) {
            next(problem_of(reply, "the tailnet refuses"));
        });
    });
}

Job Cleanup::release(const Belongings::Service& service) {
    return tailnets_->job(service.tailnet, [this, service](tailnet::Api& api, const Next& next) {
        api.get_service(service.name, [this, &api, service, next](const tailnet::Reply& reply) {
            const std::string what = thing(kTailscaleService, service.name);
            const Next told = told_of(what, next);
            if (!reply.ok()) {
                return told(problem_of(reply, "cannot read the Tailscale Service"));
            }
            const controller::Release release =
                controller::release_service({ours_.mark, ours_.predecessor}, reply.body);
            const auto done = [told](const tailnet::Reply& its_reply) {
                told(problem_of(its_reply, "cannot release the Tailscale Service"));
            };
            if (release.deletes) {
                return api.delete_service(service.name, done);
            }
            if (release.body.is_null()) {
                context_.say(what + " is kept: it is not the controller's");
                return next({});
            }
            api.put_service(service.name, release.body, done);
        });
    });
}

std::vector<Job> Cleanup::key_jobs() {
    std::vector<Job> jobs;
    for (const TailnetId& key : ours_.keys) {
        jobs.push_back(
            removal(thing(kAuthKey, key.id),
                    on_tailnet(key.tailnet, [id = key.id](tailnet::Api& api, tailnet::Done done) {
                        api.revoke_key(id, std::move(done));
                    })));
    }
    // Also revoke keys that were minted, but not recorded.
    for (const std::string& tailnet : ours_.tailnets()) {
        jobs.push_back(tailnets_->job(tailnet, [this](tailnet::Api& api, const Next& next) {
            ours_.mark.empty() ? next({})
                               : controller::sweep_keys(
                                     api, ours_.mark, [](const auto& tell) { tell({}); }, next);
        }));
    }
    return jobs;
}

std::vector<Job> Cleanup::device_jobs() {
    std::vector<Job> jobs;
    for (const auto& [device, unused] : proofs_.devices()) {
        jobs.push_back(removal(
            proofs_.describe(device),
            on_tailnet(device.tailnet, [id = device.id](tailnet::Api& api, tailnet::Done done) {
                api.delete_device(id, std::move(done));
            })));
    }
    for (const Belongings::Service& service : ours_.services) {
        jobs.push_back(release(service));
    }
    return jobs;
}

bool Cleanup::has_operators_proxies() const {
    return std::any_of(objects_.sets.begin(), objects_.sets.end(), is_operators_set);
}

// True if the operator runs or has proxies: it would add its finalizers again, and its
// groups use the ACME accounts.
bool Cleanup::has_operator() const {
    return has_operators_proxies() ||
           operator_state(find_operator(objects_.deployments)) == OperatorState::Runs;
}

// True if this is the controller's namespace. In another one, the objects found in the whole
// cluster belong to an operator elsewhere.
bool Cleanup::is_here() const {
    return !ours_.config_map_names.empty() || has_lease() ||
           missing_installation(context_.ns, objects_.deployments, objects_.sets, objects_.secrets)
               .empty();
}

std::vector<HeldObject> Cleanup::held() const {
    return has_operator() || !is_here() ? std::vector<HeldObject>() : objects_.held;
}

// True if the Secret of ACME accounts is removed: on request, or without accounts. Lost accounts
// are recreated, but the number of orders a day is limited.
bool Cleanup::takes_accounts() const {
    const Value* accounts = find_named(objects_.secrets, renderer::kAcmeAccounts);
    return accounts != nullptr && !has_operator() &&
           (options_.acme_accounts || accounts_in(*accounts) == 0);
}

// Returns the parents whose status is cleared: none while the operator has proxies, since it may
// have written the status.
std::vector<ServedParent> Cleanup::told() const {
    return has_operators_proxies() || !is_here()
               ? std::vector<ServedParent>()
               : told_parents(objects_.services, objects_.ingresses, ours_.served);
}

std::vector<Job> Cleanup::status_jobs() {
    const std::vector<ServedParent> parents = told();
    std::vector<Job> jobs;
    jobs.reserve(parents.size());
    for (const ServedParent& parent : parents) {
        jobs.push_back(
            removal(thing(kStatusOf, parent.name), clear_status(context_, parent, ours_.served)));
    }
    for (const HeldObject& held : held()) {
        jobs.push_back(removal(thing(kFinalizersOf, held.name), let_go(context_, held)));
    }
    return jobs;
}

std::vector<Job> Cleanup::kube_jobs() {
    std::vector<Job> jobs;
    const auto erase = [&](const renderer::Kind& kind, std::string_view title,
                           std::string_view name) {
        jobs.push_back(
            removal(thing(title, name),
                    erase_object(context_.kube, kube::path_of(kind, context_.ns, name))));
    };
    for (const std::string& name : ours_.secret_names) {
        jobs.push_back(removal(thing(kSecret, name),
                               in_order({erase_object(context_.kube, secret_path(context_, name)),
                                         let_end(context_, name)})));
    }
    if (takes_accounts()) {
        jobs.push_back(removal(thing(kSecret, renderer::kAcmeAccounts), remove_accounts(context_)));
    }
    if (has_lease()) {
        erase(kube::kLeases, kLease, renderer::kLeaseName);
    }
    // The ledger is deleted last: it identifies our objects in the tailnets.
    std::vector<std::string> maps = ours_.config_map_names;
    std::stable_partition(maps.begin(), maps.end(),
                          [](const std::string& name) { return name != controller::kLedgerName; });
    for (const std::string& name : maps) {
        erase(kube::kConfigMaps, kConfigMap, name);
    }
    return jobs;
}

}  // namespace runtime::operate
