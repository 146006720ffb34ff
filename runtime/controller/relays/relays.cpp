#include "runtime/controller/relays/relays.h"

#include <fmt/format.h>

#include <memory>

#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/relay_config.h"
#include "renderer/contract/tailnet_config.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/records/notices.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kFirstRelayRetry = std::chrono::seconds(1);
constexpr Duration kLastRelayRetry = std::chrono::minutes(2);
constexpr Duration kRefusalLasts = std::chrono::minutes(1);

bool is_ours(const Value& secret) {
    return text_of(secret.at({"metadata", "labels", renderer::kSecretLabel})) ==
           renderer::kConfigSecret;
}

}  // namespace

Relays::Relays(const FeatureContext& context)
    : context_(context),
      hostnames_(context.loop, context.resolver, [&view = context.view] { view.changed(); }),
      relays_(context.view.follow<RelayConfig>(context.view.config_maps(), decode_relay)),
      secrets_(context.view.follow<RelaySecret>(context.view.our_secrets(), decode_relay_secret)),
      balancers_(context.view.follow<LoadBalancer>(
          {.kind = kube::kServices, .ns = context.view.ns()}, decode_load_balancer)),
      removals_(context.loop, context.random,
                {.first = kFirstRelayRetry, .longest = kLastRelayRetry},
                [&view = context.view](const std::string&) { view.changed(); }) {}

void Relays::reconcile(const Changes& /*changes*/) {
    std::set<std::string> wanted;
    for (const auto& [unused, relay] : relays_.objects()) {
        for (const auto& [pod, also_unused] : relay.configs) {
            const LoadBalancer* balancer = balancer_of(pod);
            if (balancer != nullptr && balancer->addresses.empty()) {
                wanted.insert(balancer->hostnames.begin(), balancer->hostnames.end());
            }
        }
    }
    hostnames_.look_up(wanted);
    const KnownHosts hosts = hostnames_.known();
    for (const auto& [unused, relay] : relays_.objects()) {
        report(relay);
        if (may_write(relay)) {
            for (const auto& [pod, also_unused] : relay.configs) {
                keep_secret(relay, pod, hosts);
                tell_hostnames(relay, pod);
            }
        }
    }
    for (const auto& [unused, secret] : secrets_.objects()) {
        if (is_left_over(secret)) {
            remove(secret);
        }
    }
    for (const auto& [unused, relay] : context_.parents.all(kRelayKind)) {
        write_status(relay);
    }
}

void Relays::report(const RelayConfig& relay) {
    const bool is_known = relay.contract == renderer::kContractVersion;
    if (!is_known || !relay.problem.empty()) {
        context_.events.post(
            context_.view.reference(kube::kConfigMaps,
                                    fmt::format("{}{}", renderer::kRelayPrefix, relay.name),
                                    relay.uid),
            kube::EventType::Warning, is_known ? "InvalidPeerRelay" : "UnknownContract",
            is_known ? relay.problem : unknown_contract(relay.contract));
    }
}

kube::ObjectRef Relays::parent_of(const std::string& relay) const {
    return context_.parents.reference(fmt::format("{}/{}", kRelayKind, relay));
}

void Relays::tell_hostnames(const RelayConfig& relay, const std::string& pod) {
    const LoadBalancer* balancer = balancer_of(pod);
    if (balancer == nullptr || !balancer->addresses.empty()) {
        return;
    }
    for (const std::string& hostname : balancer->hostnames) {
        if (const std::string problem = hostnames_.problem(hostname); !problem.empty()) {
            context_.events.post(
                parent_of(relay.name), kube::EventType::Warning, "CannotResolveLoadBalancer",
                fmt::format("{}: hostname \"{}\" of its load balancer cannot be resolved: {}", pod,
                            hostname, problem));
        }
    }
}

// While a StatefulSet of this name is the operator's, or of an unknown contract, the Secrets of its
// pods are not ours.
bool Relays::may_write(const RelayConfig& relay) const {
    const ProxySet* set = context_.view.sets().find(context_.view.key(relay_set_name(relay.name)));
    return relay.contract == renderer::kContractVersion && relay.problem.empty() &&
           (set == nullptr || set->contract == renderer::kContractVersion);
}

const LoadBalancer* Relays::balancer_of(std::string_view pod) const {
    return balancers_.find(context_.view.key(pod));
}

const RelaySecret* Relays::secret_of(std::string_view pod) const {
    return secrets_.find(context_.view.key(renderer::config_secret_name(pod)));
}

void Relays::keep_secret(const RelayConfig& relay, const std::string& pod,
                         const KnownHosts& hosts) {
    const RelaySecret* secret = secret_of(pod);
    const std::string name = renderer::config_secret_name(pod);
    const auto content = std::make_shared<const RelayContent>(relay_content(
        relay, pod,
        balancer_addresses(balancer_of(pod), hosts,
                           secret == nullptr ? std::vector<std::string>() : secret->addresses)));
    const auto refused = refused_.find(name);
    const bool may_try = refused == refused_.end() || context_.loop.uptime() >= refused->second;
    if ((secret != nullptr && says(*secret, *content)) || !may_try) {
        return;
    }
    refused_.erase(name);
    context_.editor.edit({.source = context_.view.our_secrets(),
                          .ns = context_.view.ns(),
                          .name = name,
                          .make = [ns = context_.view.ns(), its_name = relay.name,
                                   pod] { return relay_secret(ns, its_name, pod); }},
                         [this, its_relay = relay.name, name, content](Value& object) {
                             if (!is_ours(object)) {
                                 refuse(its_relay, name);
                                 return false;
                             }
                             const auto written = decode_relay_secret(object);
                             if (written.has_value() && says(*written, *content)) {
                                 return false;
                             }
                             put_content(object, *content);
                             return true;
                         });
}

void Relays::refuse(const std::string& relay, const std::string& secret) {
    refused_[secret] = context_.loop.uptime() + kRefusalLasts;
    context_.events.post(
        parent_of(relay), kube::EventType::Warning, "CannotPrepareProxy",
        fmt::format("Secret \"{}\" exists and belongs to another user or controller", secret));
}

// True if nothing needs it, and nothing is left of its replica.
bool Relays::is_left_over(const RelaySecret& secret) const {
    const ClusterView& view = context_.view;
    const auto replica = split_replica(secret.pod);
    if (!replica.has_value()) {
        return false;
    }
    for (const auto& [unused, relay] : relays_.objects()) {
        const bool is_readable =
            relay.contract == renderer::kContractVersion && relay.problem.empty();
        if (relay_set_name(relay.name) == replica->set &&
            (!is_readable || relay.configs.contains(secret.pod))) {
            return false;
        }
    }
    const ProxySet* set = view.sets().find(view.key(replica->set));
    const bool is_asked_for = set != nullptr && (set->contract != renderer::kContractVersion ||
                                                 replica->ordinal < set->replicas);
    return !is_asked_for && !Replicas(view).find(secret.pod).has_value() &&
           view.pods().find(view.key(secret.pod)) == nullptr;
}

void Relays::remove(const RelaySecret& secret) {
    if (!removals_.may_begin(secret.name)) {
        return;
    }
    removals_.begin(secret.name);
    context_.log.info("step",
                      {{"secret", secret.name}, {"step", "delete: its replica was deleted"}});
    context_.kube.erase(
        kube::path_of(kube::kSecrets, context_.view.ns(), secret.name), {.uid = secret.uid},
        [this, name = secret.name](const kube::Reply& reply) {
            if (reply.ok() || reply.not_found()) {
                removals_.forget(name);
                return context_.view.erased(
                    context_.view.our_secrets(),
                    Value::map({{"metadata", Value::map({{"name", name},
                                                         {"namespace", context_.view.ns()}})}}));
            }
            context_.log.warning("cannot delete", {{"secret", name}, {"cause", reply.message}});
            removals_.fail(name);
        });
}

void Relays::write_status(const Parent& relay) {
    const ClusterView& view = context_.view;
    const ProxySet* set = nullptr;
    for (const std::string_view name : view.sets_by_parent().find(contract_name(relay))) {
        set = view.sets().find(view.key(name));
        if (set == nullptr || set->contract != renderer::kContractVersion) {
            return;  // the operator's, or of an unknown contract
        }
    }
    if (set != nullptr) {
        context_.status.write(relay, relay_status(relay, state_of(*set)));
    } else if (!condition_status(relay, kRelayCondition).empty() && view.operators_sets().empty()) {
        context_.status.write(relay, relay_status(relay, {.is_rendered = false}));
    }
}

RelayState Relays::state_of(const ProxySet& set) const {
    RelayState state{.tailnet_problem = tailnet_problem(set.tailnet)};
    Replicas replicas(context_.view);
    for (int ordinal = 0; ordinal < set.replicas; ++ordinal) {
        const std::string pod = fmt::format("{}-{}", set.name, ordinal);
        const RelaySecret* secret = secret_of(pod);
        state.endpoints.push_back(secret == nullptr ? std::vector<Endpoint>()
                                                    : secret->endpoints());
        const auto replica = replicas.find(pod);
        state.joined += replica.has_value() && device_of(*replica).is_live() ? 1 : 0;
    }
    return state;
}

std::string Relays::tailnet_problem(std::string_view tailnet) const {
    std::string problem;
    if (tailnet.empty() || context_.tailnets.find(tailnet, problem) == nullptr) {
        return problem;
    }
    const renderer::TailnetConfig* config = context_.view.tailnet_configs().find(
        context_.view.key(fmt::format("{}{}", renderer::kTailnetPrefix, tailnet)));
    problem = config == nullptr ? std::string() : context_.tailnets.refusal(*config);
    if (!problem.empty()) {
        return problem;
    }
    const Parent* resource = context_.parents.find(fmt::format("Tailnet/{}", tailnet));
    return resource != nullptr &&
                   condition_status(*resource, renderer::kind_of("Tailnet").role.condition) ==
                       "False"
               ? fmt::format("tailnet not ready: {}", tailnet)
               : std::string();
}

}  // namespace runtime::controller
