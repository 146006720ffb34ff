#include <fmt/format.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/ports.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

// Each probe starts a program in the container, which costs much more than a request.
constexpr int kInsidePeriod = 10;         // seconds
constexpr int kInsidePatience = 5;        // seconds
constexpr int kInsideFailures = 10;       // in a row
constexpr int kTemplateGracePeriod = 10;  // seconds; the operator sends it, pods ignore it

Value selector(const plan::Workload& workload) {
    return Value::map({{"app", workload.name}});
}

Value rules(const plan::Workload& workload) {
    Value rules = Value::list(
        {name_rule("secrets", pod_names(workload), Value::list({"get", "update", "patch"}))});
    add_followed_secrets(workload, rules);
    return rules;
}

Value inside_probe() {
    return Value::map(
        {{"exec", Value::map({{"command", Value::list({"wget", "-q", "-O", "/dev/null",
                                                       fmt::format("http://localhost:{}/healthz",
                                                                   port::kLocal)})}})},
         {"failureThreshold", kInsideFailures},
         {"periodSeconds", kInsidePeriod},
         {"timeoutSeconds", kInsidePatience}});
}

Value probe_of(plan::HealthProbe probe) {
    switch (probe) {
        case plan::HealthProbe::FromNode:
            return health_probe();
        case plan::HealthProbe::Inside:
            return inside_probe();
        case plan::HealthProbe::ByProgram:
            return ready_probe();
        case plan::HealthProbe::None:
            break;
    }
    return {};
}

Value headless_service(const plan::Workload& workload, const plan::ProxyPlan& proxy) {
    Value spec = Value::map({{"clusterIP", "None"}, {"selector", selector(workload)}});
    if (proxy.family) {
        spec.add("ipFamilyPolicy", "SingleStack");
        spec.add("ipFamilies",
                 Value::list({*proxy.family == classify::IpFamily::V6 ? "IPv6" : "IPv4"}));
    } else {
        spec.add("ipFamilyPolicy", "PreferDualStack");
    }
    // With one pod, a name without an address is no better than a pod that does not answer yet.
    put_if(spec, proxy.probe != plan::HealthProbe::None, "publishNotReadyAddresses", Value(true));
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", metadata(workload, workload.name)},
                       {"spec", std::move(spec)}});
}

Value config_data(const plan::Workload& workload, const plan::ProxyPlan& proxy,
                  std::size_t ordinal) {
    Value data = Value::map(
        {{config_datum(107), encode_base64(tailscaled_config(workload, proxy, ordinal, true))},
         {config_datum(95), encode_base64(tailscaled_config(workload, proxy, ordinal, false))}});
    put_if(data, proxy.target == plan::Target::Serve, kServeDatum,
           encode_base64(serve_config(proxy)));
    return data;
}

// A userspace pod needs no privileges; a kernel one configures the network stack of its pod.
Value tailscale_container(const plan::Workload& workload, const plan::ProxyPlan& proxy) {
    Value made =
        container(workload, "tailscale",
                  Value::list({env(variable::kUserspace, proxy.userspace ? "true" : "false"),
                               env_from_field(variable::kPodIp, "status.podIP"),
                               env_from_field(variable::kPodName, "metadata.name"),
                               env_from_field(variable::kPodUid, "metadata.uid"),
                               env(variable::kKubeSecret, variable::kPodNameValue),
                               env(variable::kAutoAdvertisement, "false"),
                               env(variable::kConfigDir, kConfigFolderOfPod),
                               env(variable::kForceRenewal, "true")}));
    Value mounts = Value::list();
    add_mounts(workload, mounts);
    if (proxy.userspace) {
        mounts.append(Value::map({{"mountPath", "/tmp"}, {"name", "tmp"}}));
    } else {
        add_tunnel_mount(workload, mounts);
    }
    put_if(made, proxy.probe != plan::HealthProbe::None, "readinessProbe", probe_of(proxy.probe));
    made.add("resources", proxy_resources());
    made.add("securityContext", proxy.userspace ? restricted_security_context()
                                                : forwarding_security_context(workload));
    made.add("volumeMounts", std::move(mounts));
    return made;
}

Value pod_metadata(const plan::Workload& workload) {
    Value annotations = Value::map(
        {{Value::borrowed(kConfigHashAnnotation),
          config_hash(workload,
                      Value::map({{"acceptDNS", false}, {"NoStatefulFiltering", true}}))}});
    for (const auto& [key, value] : workload.pod_annotations) {
        annotations.add(Value::borrowed(key), value);
    }
    Value labels = plan::labels_of(workload);
    labels.add("app", workload.name);
    return Value::map({{"annotations", std::move(annotations)},
                       {"deletionGracePeriodSeconds", kTemplateGracePeriod},
                       {"labels", std::move(labels)}});
}

Value pod_spec(const plan::Workload& workload, const plan::ProxyPlan& proxy) {
    Value volumes = Value::list();
    add_volumes(workload, volumes);
    if (proxy.userspace) {
        volumes.append(Value::map({{"name", "tmp"}, {"emptyDir", Value::map()}}));
    } else {
        add_tunnel_device(workload, volumes);
    }
    Value spec = Value::map({{"serviceAccountName", workload.account},
                             {"containers", Value::list({tailscale_container(workload, proxy)})},
                             {"volumes", std::move(volumes)}});
    put_if(spec, !proxy.userspace, "initContainers", Value::list({sysctl_container(workload)}));
    put_if(spec, !workload.priority_class.empty(), "priorityClassName", workload.priority_class);
    return spec;
}

Value set_spec(const plan::Workload& workload, const plan::ProxyPlan& proxy) {
    return Value::map({{"selector", Value::map({{"matchLabels", selector(workload)}})},
                       {"serviceName", workload.name},
                       {"template", Value::map({{"metadata", pod_metadata(workload)},
                                                {"spec", pod_spec(workload, proxy)}})}});
}

}  // namespace

void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::ProxyPlan& proxy, Objects& objects) {
    Value account = service_account(workload);
    add_pull_secrets(plan.settings, account);
    add_object(workload, std::move(account), objects);
    for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
        add_object(workload, config_secret(workload, i, config_data(workload, proxy, i)), objects);
    }
    add_object(workload, role(workload, rules(workload)), objects);
    add_object(workload, role_binding(workload), objects);
    add_object(workload, headless_service(workload, proxy), objects);
    add_object(workload, stateful_set(workload, set_spec(workload, proxy)), objects);
}

}  // namespace renderer::generate
