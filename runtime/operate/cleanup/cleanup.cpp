#include "runtime/operate/cleanup/cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/controller_objects.h"
#include "renderer/contract/group_config.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/operate/cleanup/cleanup_guard.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"

namespace runtime::operate {

using renderer::Value;

namespace {

constexpr std::string_view kNothingLeft = "nothing left of the controller";

std::string in_a_line(const renderer::Diagnostic& diagnostic) {
    std::string line = diagnostic.message;
    if (!diagnostic.found.empty()) {
        line += fmt::format(": {}, expected {}", diagnostic.found, diagnostic.expected);
    }
    return diagnostic.hint.empty() ? line : line + ": " + diagnostic.hint;
}

}  // namespace

Cleanup::Cleanup(const OperateContext& context, Transport& transport, Log& log,
                 RandomSource& random, CleanupOptions options, OwnTailnet own)
    : context_(context),
      transport_(transport),
      log_(log),
      random_(random),
      options_(std::move(options)),
      own_(std::move(own)) {}

void Cleanup::start(Next done) {
    done_ = std::move(done);
    run_in_order(read_objects(context_, objects_),
                 [this](const std::string& problem) { problem.empty() ? look() : done_(problem); });
}

void Cleanup::look() {
    ours_.take_secrets(objects_);
    ours_.take_config_maps(objects_.config_maps);
    if (const std::string problem =
            cleanup_objection(objects_.sets, objects_.pods, objects_.secrets, options_.force);
        !problem.empty()) {
        return done_(problem);
    }
    if (options_.force) {
        return ask();
    }
    controller_must_rest(context_)(
        [this](const std::string& problem) { problem.empty() ? ask() : done_(problem); });
}

void Cleanup::ask() {
    if (ours_.named.empty()) {
        return show();
    }
    if (const std::string problem = reach(); !problem.empty()) {
        return done_(problem);
    }
    proofs_.prove(*tailnets_, ours_, [this](const std::string& problem) {
        problem.empty() ? show() : done_(problem);
    });
}

void Cleanup::tell_what_stays() {
    const Value* accounts = find_named(objects_.secrets, renderer::kAcmeAccounts);
    if (accounts != nullptr && !takes_accounts() && !std::exchange(told_accounts_, true)) {
        context_.say(
            fmt::format("leaves Secret {}, which has the private keys of {} accounts at the ACME "
                        "server: use --acme-accounts to remove it as well",
                        renderer::kAcmeAccounts, accounts_in(*accounts)));
    }
    proofs_.tell_left(context_);
}

void Cleanup::show() {
    const std::vector<std::string> lines = found();
    tell_what_stays();
    std::string problem;
    if (lines.empty()) {
        problem = missing_installation(context_.ns, objects_.deployments, objects_.sets,
                                       objects_.secrets);
        if (problem.empty()) {
            context_.say(std::string(kNothingLeft));
        }
        return done_(problem);
    }
    problem = reach();
    if (!problem.empty()) {
        return done_(problem);
    }
    if (options_.yes) {
        return remove();
    }
    for (const std::string& line : lines) {
        context_.say("would remove " + line);
    }
    context_.say("nothing was removed; use --yes to remove these");
    done_({});
}

std::string Cleanup::reach() {
    if (tailnets_) {
        return {};
    }
    const Value deployment = find_controller(objects_.deployments);
    if (options_.login_server.empty()) {
        auto named = login_server_of(deployment);
        if (!named) {
            return in_a_line(named.error().diagnostic);
        }
        options_.login_server = std::move(*named);
    }
    auto own = own_(options_.login_server, oauth_secret_of(deployment));
    if (!own) {
        return in_a_line(own.error().diagnostic);
    }
    context_.say(fmt::format("the controller's tailnet is at {}", own->server));
    tailnets_.emplace(context_.loop, transport_, context_.kube, log_, random_, context_.ns,
                      std::move(*own), account_of(deployment, context_.ns), ours_.configs);
    return unreachable();
}

// Returns a message if a tailnet with objects of ours cannot be reached, or if these objects cannot
// be identified; else "".
std::string Cleanup::unreachable() {
    for (const std::string& tailnet : ours_.tailnets()) {
        std::string problem;
        if (tailnets_->find(tailnet, problem) == nullptr) {
            return fmt::format(
                "tailnet \"{}\" has devices or keys of the controller, but {}: apply it again",
                tailnet, problem);
        }
    }
    if (ours_.services.empty() || !ours_.mark.empty()) {
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
    jobs.push_back(
        list_all(context_.kube, kube::path_of(kube::kSecrets, context_.ns), objects_.secrets));
    run_in_order(std::move(jobs), [this](const std::string& problem) {
        problem.empty() ? remove_all_but_keys() : done_(problem);
    });
}

// Reads the Secrets again, since more devices may have joined.
void Cleanup::remove_all_but_keys() {
    ours_.take_secrets(objects_);
    proofs_.prove(*tailnets_, ours_, [this](const std::string& problem) {
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
