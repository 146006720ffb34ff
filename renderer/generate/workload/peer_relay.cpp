#include <fmt/format.h>

#include <array>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/ports.h"
#include "renderer/contract/relay_config.h"
#include "renderer/core/json.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

struct Annotation {
    std::string_view key, value;
};

// Annotations that give a load balancer public addresses.
constexpr std::array kPublic = {
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-ip-address-type", "ipv4"},
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-nlb-target-type", "ip"},
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-scheme", "internet-facing"},
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-type", "external"},
    Annotation{"service.beta.kubernetes.io/azure-load-balancer-internal", "false"},
};
// AWS cannot check UDP, the only protocol of a relay, so the health check has its own port.
constexpr std::array kHealth = {
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-healthcheck-path", "/healthz"},
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-healthcheck-port", port::kLocalText},
    Annotation{"service.beta.kubernetes.io/aws-load-balancer-healthcheck-protocol", "http"},
};
constexpr std::string_view kAttributes = "service.beta.kubernetes.io/aws-load-balancer-attributes";
constexpr std::string_view kCrossZone = "load_balancing.cross_zone.enabled=true";
constexpr std::string_view kAllocations =
    "service.beta.kubernetes.io/aws-load-balancer-eip-allocations";
constexpr std::string_view kSubnets = "service.beta.kubernetes.io/aws-load-balancer-subnets";

void put_text(Value& annotations, std::string_view key, std::string_view value) {
    annotations.put(Value::borrowed(key), value);
}

// Returns the user's annotations, overridden by ours.
Value annotations(const plan::Workload& workload, const plan::PeerRelayPlan& relay,
                  std::size_t ordinal) {
    Value all = relay.annotations == nullptr ? Value::map() : relay.annotations->clone();
    for (const Annotation& one : kPublic) {
        put_text(all, one.key, one.value);
    }
    if (workload.release.has(plan::Trait::RelayHealth)) {
        for (const Annotation& one : kHealth) {
            put_text(all, one.key, one.value);
        }
        put_if(all, all.find(kAttributes) == nullptr, Value::borrowed(kAttributes),
               Value::borrowed(kCrossZone));
    }
    if (ordinal < relay.elastic_ips.size()) {
        put_text(all, kAllocations, relay.elastic_ips[ordinal].allocation);
        put_text(all, kSubnets, relay.elastic_ips[ordinal].subnet);
    }
    return all;
}

Value relay_service(const plan::Workload& workload, const plan::PeerRelayPlan& relay,
                    std::size_t ordinal) {
    const std::string pod = workload.pod(ordinal);
    Value head = metadata(workload, pod);
    head.find("labels")->add(label::kRelayReplica, fmt::format("{}", ordinal));
    head.add("annotations", annotations(workload, relay, ordinal));
    Value port = Value::map({{"name", "peerrelay"},
                             {"port", relay.port},
                             {"protocol", "UDP"},
                             {"targetPort", relay.port}});
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", std::move(head)},
         {"spec",
          Value::map({{"type", "LoadBalancer"},
                      {"selector", Value::map({{"statefulset.kubernetes.io/pod-name", pod}})},
                      {"ports", Value::list({std::move(port)})}})}});
}

// Returns the configuration. A ProxyClass does not affect the routes of a relay.
std::string relay_config(const plan::Workload& workload, const plan::PeerRelayPlan& relay,
                         std::size_t ordinal) {
    Value config = replica_config(workload, ordinal);
    config.put("acceptRoutes", false);
    config.add("RelayServerPort", relay.port);
    return write_json(config);
}

// Returns the ConfigMap from which the controller creates the configuration of the pods.
Value relay_map(const plan::Workload& workload, const plan::PeerRelayPlan& relay) {
    Value data = Value::map();
    for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
        data.add(fmt::format("{}.{}", workload.pod(i), config_datum(relay.capability)),
                 relay_config(workload, relay, i));
    }
    put_if(data, !relay.static_endpoints.empty(), kStaticEndpointsDatum,
           write_json(text_list(relay.static_endpoints)));
    return contract_map(workload, fmt::format("{}{}", kRelayPrefix, workload.parent_name),
                        std::move(data));
}

Value tailscaled_container(const plan::Workload& workload) {
    const bool is_asked = workload.release.has(plan::Trait::RelayHealth);
    Value environment = Value::list({env_from_field(variable::kPodName, "metadata.name"),
                                     env_from_field(variable::kPodUid, "metadata.uid"),
                                     env(variable::kConfigDir, kConfigFolderOfPod),
                                     env(variable::kKubeSecret, variable::kPodNameValue)});
    if (is_asked) {
        environment.append(env(variable::kHealthCheck, "true"));
    }
    Value made = container(workload, "tailscaled", std::move(environment));
    if (!workload.hostnames.empty()) {
        add_mounts(workload, made.add("volumeMounts", Value::list()));
    }
    put_if(made, is_asked, "ports",
           Value::list({Value::map(
               {{"containerPort", port::kLocal}, {"name", "healthz"}, {"protocol", "TCP"}})}));
    put_if(made, workload.dataplane == plan::Dataplane::Native, "readinessProbe", ready_probe());
    return made;
}

Value relay_pod_template(const plan::Workload& workload) {
    Value spec = Value::map({{"serviceAccountName", workload.account},
                             {"containers", Value::list({tailscaled_container(workload)})}});
    if (!workload.hostnames.empty()) {
        add_volumes(workload, spec.add("volumes", Value::list()));
    }
    return Value::map(
        {{"metadata",
          Value::map({{"annotations",
                       Value::map({{Value::borrowed(kConfigHashAnnotation),
                                    config_hash(workload, Value::map({{"acceptDNS", false}}))}})},
                      {"labels", plan::labels_of(workload)}})},
         {"spec", std::move(spec)}});
}

Value relay_rules(const plan::Workload& workload) {
    Value rules = Value::list();
    if (!workload.hostnames.empty()) {
        rules.append(
            name_rule("secrets", pod_names(workload), Value::list({"get", "update", "patch"})));
    }
    add_followed_secrets(workload, rules);
    return rules;
}

}  // namespace

void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::PeerRelayPlan& relay, Objects& objects) {
    Value account = service_account(workload);
    add_pull_secrets(plan.settings, account);
    add_object(workload, std::move(account), objects);
    add_object(workload, role(workload, relay_rules(workload)), objects);
    add_object(workload, role_binding(workload), objects);
    add_object(workload, relay_map(workload, relay), objects);
    for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
        add_object(workload, relay_service(workload, relay, i), objects);
    }
    add_object(
        workload,
        stateful_set(
            workload,
            Value::map({{"selector", Value::map({{"matchLabels", plan::labels_of(workload)}})},
                        {"serviceName", workload.name},
                        {"template", relay_pod_template(workload)}})),
        objects);
}

}  // namespace renderer::generate
