#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/ports.h"
#include "renderer/contract/state_secret.h"
#include "renderer/generate/group/api_group.h"
#include "renderer/generate/group/egress_group.h"
#include "renderer/generate/group/group_config.h"
#include "renderer/generate/group/group_services.h"
#include "renderer/generate/group/ingress_group.h"
#include "renderer/generate/group/static_endpoints.h"
#include "renderer/generate/workload/api_pod.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/group/group_class.h"

namespace renderer::generate {

namespace {

// This is longer than the preStop hook and the time for connections to end. The operator sets
// another field for it, which has no effect in a pod template.
constexpr int kEgressGracePeriod = 360;
constexpr int kGracePeriod = 10;  // without effect, as the operator writes it
constexpr std::string_view kPreStopPath = "/internal-egress-services-preshutdown";

bool is_egress(const plan::ProxyGroupPlan& group) {
    return group.input.type == plan::GroupType::Egress;
}

// True if pods wait in their preStop hook until no client uses them. A class can change the hook's
// port, and then they do not wait.
bool drains(const plan::Workload& workload, const plan::ProxyGroupPlan& group) {
    return is_egress(group) && !plan::moves_local_port(workload);
}

// Returns the ConfigMaps that tailrender-proxy watches.
Value followed_maps(const plan::Workload& workload, const plan::ProxyGroupPlan& group) {
    return is_egress(group) ? Value::list({egress_config_name(workload.name)})
                            : Value::list({ingress_config_name(workload.name),
                                           Value::borrowed(kIngressAddresses)});
}

// Returns the rules of the group's account. Each pod needs its own state Secret; with one account
// they can access each other's. Certificates are shared: one pod writes them, all read them.
// k8s-proxy watches its configuration through the API.
Value group_rules(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                  const Offered& offered) {
    Value rules = Value::list();
    if (workload.hostnames.empty()) {
        return rules;
    }
    Value written = pod_names(workload);
    for (const plan::OfferedService* service : offered) {
        if (!service->dns_name.empty()) {
            written.append(service->dns_name);
        }
    }
    if (group.shares_acme_account) {
        written.append(Value::borrowed(kAcmeAccounts));
    }
    rules.append(name_rule("secrets", std::move(written), Value::list({"get", "update", "patch"})));
    if (plan::runs_k8s_proxy(workload)) {
        Value followed = Value::list();
        for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
            followed.append(config_secret_name(workload.pod(i)));
        }
        rules.append(name_rule("secrets", std::move(followed), Value::list({"get", "watch"})));
    }
    add_followed_secrets(workload, rules);
    if (workload.dataplane == plan::Dataplane::Native && !group.serves_api()) {
        rules.append(
            name_rule("configmaps", followed_maps(workload, group), Value::list({"watch"})));
    }
    return rules;
}

Value labelled_secret(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                      const Offered& offered, std::size_t ordinal) {
    const std::string config = group_config(workload, group, offered, ordinal);
    Value data = Value::map({{config_datum(kGroupCapability), encode_base64(config)}});
    if (group.serves_api()) {
        data.add(kServeDatum, encode_base64(api_serve_config(offered)));
    }
    Value made = config_secret(workload, ordinal, std::move(data));
    made.find("metadata")->find("labels")->add(label::kSecretType, label::kConfigType);
    return made;
}

Value group_tailscale_container(const plan::Workload& workload, const plan::ProxyGroupPlan& group) {
    Value environment = Value::list(
        {env(variable::kUserspace, "false"), env_from_field(variable::kPodIp, "status.podIP"),
         env_from_field(variable::kPodName, "metadata.name"),
         env_from_field(variable::kPodUid, "metadata.uid"),
         env_from_field(variable::kPodIps, "status.podIPs"),
         env(variable::kKubeSecret, variable::kPodNameValue),
         env(variable::kAutoAdvertisement, "false"), env(variable::kState, kStateOfPod),
         env(variable::kConfigDir, kConfigFolderOfPod)});
    if (!workload.release.has(plan::Trait::AcmeAccounts)) {
        environment.append(env(variable::kForceRenewal, "true"));
    }
    Value made = container(workload, "tailscale", std::move(environment));
    Value mounts = Value::list();
    add_mounts(workload, mounts);
    mounts.append(read_only_mount(
        is_egress(group) ? egress_config_name(workload.name) : ingress_config_name(workload.name),
        kGroupConfigFolder));
    add_tunnel_mount(workload, mounts);
    made.add("resources", proxy_resources());
    made.add("securityContext", forwarding_security_context(workload));
    made.add("volumeMounts", std::move(mounts));
    if (drains(workload, group)) {
        made.add("lifecycle",
                 Value::map(
                     {{"preStop",
                       Value::map({{"httpGet", Value::map({{"path", Value::borrowed(kPreStopPath)},
                                                           {"port", port::kLocal}})}})}}));
    }
    if (workload.dataplane == plan::Dataplane::Native) {
        made.add("readinessProbe", ready_probe());
    } else if (!plan::moves_local_port(workload)) {
        made.add("readinessProbe", health_probe());
    }
    return made;
}

Value api_spec(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
               const Offered& offered) {
    if (plan::runs_k8s_proxy(workload)) {
        return Value::map({{"serviceAccountName", workload.account},
                           {"containers", Value::list({k8s_proxy_container(workload)})}});
    }
    Value environment = Value::list();
    append_api_environment(environment);
    const std::string service = offered.empty() ? std::string() : offered.front()->name();
    return api_pod_spec(workload,
                        {.impersonates = group.input.api_auth,
                         .service = service,
                         .unrecorded = group.api_unrecorded},
                        std::move(environment));
}

Value group_pod_spec(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                     const Offered& offered) {
    if (group.serves_api()) {
        return api_spec(workload, group, offered);
    }
    Value spec = Value::map({{"serviceAccountName", workload.account}});
    Value volumes = Value::list();
    add_volumes(workload, volumes);
    volumes.append(is_egress(group) ? egress_config_volume(workload)
                                    : ingress_config_volume(workload));
    add_tunnel_device(workload, volumes);
    spec.add("containers", Value::list({group_tailscale_container(workload, group)}));
    spec.add("initContainers", Value::list({sysctl_container(workload)}));
    put_if(spec, drains(workload, group), "terminationGracePeriodSeconds", kEgressGracePeriod);
    spec.add("volumes", std::move(volumes));
    return spec;
}

std::string group_config_hash(const plan::Workload& workload) {
    Value fields = Value::map();
    put_if(fields, !plan::runs_k8s_proxy(workload), "acceptDNS", false);
    return config_hash(workload, fields);
}

Value group_pod_template(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                         const Offered& offered) {
    const int grace = drains(workload, group) ? kEgressGracePeriod : kGracePeriod;
    return Value::map(
        {{"metadata",
          Value::map({{"annotations", Value::map({{Value::borrowed(kConfigHashAnnotation),
                                                   group_config_hash(workload)}})},
                      {"deletionGracePeriodSeconds", grace},
                      {"labels", plan::labels_of(workload)},
                      {"name", workload.name},
                      {"namespace", workload.ns}})},
         {"spec", group_pod_spec(workload, group, offered)}});
}

Value group_set(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                const Offered& offered) {
    return stateful_set(
        workload,
        Value::map({{"selector", Value::map({{"matchLabels", plan::labels_of(workload)}})},
                    {"serviceName", ""},
                    {"template", group_pod_template(workload, group, offered)}}));
}

}  // namespace

void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::ProxyGroupPlan& group, Objects& objects) {
    const Offered offered = offered_by(workload, plan);
    const auto add = [&](Value root) { add_object(workload, std::move(root), objects); };
    if (workload.makes_account) {
        add(service_account(workload));
    }
    const bool told = plan::runs_k8s_proxy(workload);
    for (std::size_t i = 0; !told && i < workload.hostnames.size(); ++i) {
        add(labelled_secret(workload, group, offered, i));
    }
    add(role(workload, group_rules(workload, group, offered)));
    add(role_binding(workload));
    add(is_egress(group) ? egress_config_map(workload, plan)
                         : group_services_map(workload, group, offered));
    if (group.input.type == plan::GroupType::Ingress) {
        add(ingress_config_map(workload, offered));
    }
    add(group_set(workload, group, offered));
    append_node_port_services(workload, group, objects);
}

}  // namespace renderer::generate
