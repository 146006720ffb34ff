#include <fmt/format.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/kube/api.h"
#include "renderer/plan/install/controller.h"

namespace renderer {

namespace {

// The user of `tailrender-proxy api`, as the image names it: tailscaled, which runs as another,
// looks the name up. What comes from tailscaled's user alone is believed.
constexpr int kApiUser = 65533;
constexpr std::string_view kApiUserName = "api-proxy";
constexpr std::string_view kSocketFolder = "/var/run/tailscale";
constexpr std::string_view kSocket = "/var/run/tailscale/tailscaled.sock";
constexpr int kApiPort = 9002;     // /healthz, /readyz, /metrics
constexpr int kSessionGrace = 25;  // seconds that sessions have to end
constexpr int kPodGrace = 40;      // seconds: theirs, and what tailscaled takes to end
constexpr int kReadyPeriod = 5;    // seconds
// Both containers are told to end at once, but sessions need tailscaled until they have ended: it
// waits as long as the other listens. In /proc/net the port is 232A, and listening is 0A.
constexpr std::string_view kWaitForSessions =
    "while grep -q ':232A [0:]* 0A ' /proc/net/tcp6 /proc/net/tcp; do sleep 1; done";

Value socket_mount() {
    return Value::map({{"mountPath", Value::borrowed(kSocketFolder)}, {"name", "socket"}});
}

// Variables of Tailscale's that containerboot reads say how a pod of its own is set up; those of a
// daemon, and what is not Tailscale's, are for the network that it is in.
bool is_for_tailscaled(std::string_view name) {
    return name.starts_with("TS_DEBUG_") ||
           (!name.starts_with("TS_") && !name.starts_with("EXPERIMENTAL_"));
}

Value tailscaled_env(const Settings& settings) {
    Value made = Value::list();
    for (const Value* entry : users_env(settings)) {
        if (is_for_tailscaled(text_of(entry->find("name")))) {
            made.append(entry->clone());
        }
    }
    Value ours = Value::list(
        {env("TS_USERSPACE", "true"), env_from_field("POD_IP", "status.podIP"),
         env_from_field("POD_NAME", "metadata.name"), env_from_field("POD_UID", "metadata.uid"),
         env("TS_KUBE_SECRET", "$(POD_NAME)"), env("TS_SOCKET", kSocket),
         env("TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT", "false"),
         env("TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR", "/etc/tsconfig/$(POD_NAME)"),
         env(kForceRenewal, "true"), env("TS_INTERNAL_APP", "k8s-operator-proxy")});
    for (Value& entry : ours.items()) {
        made.append(std::move(entry));
    }
    if (!settings.log_upload) {
        made.append(env("TS_NO_LOGS_NO_SUPPORT", "true"));
    }
    return made;
}

Value tailscale_container(const Workload& workload, const Settings& settings) {
    Value made = container(workload, "tailscale", tailscaled_env(settings));
    Value mounts = Value::list();
    add_mounts(workload, mounts);
    mounts.append(Value::map({{"mountPath", "/tmp"}, {"name", "tmp"}}));
    mounts.append(socket_mount());
    made.add(
        "lifecycle",
        Value::map(
            {{"preStop",
              Value::map(
                  {{"exec", Value::map({{"command",
                                         Value::list({"/bin/sh", "-c",
                                                      Value::borrowed(kWaitForSessions)})}})}})}}));
    made.add("readinessProbe", ready_probe());
    made.add("resources", proxy_resources());
    made.add("securityContext", restricted_security_context());
    made.add("volumeMounts", std::move(mounts));
    return made;
}

Value api_container(const Workload& workload, const ApiProxyPlan& proxy) {
    Value made = container(
        workload, "api",
        Value::list({env("APISERVER_PROXY", proxy.impersonates ? "true" : "noauth"),
                     env("TAILRENDER_API_GRACE_SECONDS", fmt::format("{}", kSessionGrace)),
                     env("TS_SOCKET", kSocket)}));
    made.add("command", Value::list({"tailrender-proxy", "api"}));
    made.add("ports", Value::list({Value::map(
                          {{"containerPort", kApiPort}, {"name", "http"}, {"protocol", "TCP"}})}));
    made.add("readinessProbe",
             Value::map({{"httpGet", Value::map({{"path", "/readyz"}, {"port", kApiPort}})},
                         {"periodSeconds", kReadyPeriod}}));
    made.add("resources", proxy_resources());
    made.add("securityContext", restricted_security_context(kApiUser));
    made.add("volumeMounts", Value::list({socket_mount()}));
    return made;
}

Value empty_volume(std::string_view name) {
    return Value::map({{"name", Value::borrowed(name)}, {"emptyDir", Value::map()}});
}

// Where the values want the operator's pod, whose part this is.
void place(const Settings& settings, Value& spec) {
    for (const std::string_view key : {"affinity", "nodeSelector", "tolerations"}) {
        const Value* wanted = settings.chart.at({"operatorConfig", key});
        if (wanted != nullptr && wanted->size() > 0) {
            spec.add(Value::borrowed(key), wanted->clone());
        }
    }
    const Value* secrets = settings.chart.find("imagePullSecrets");
    if (secrets != nullptr && secrets->size() > 0) {
        spec.add("imagePullSecrets", secrets->clone());
    }
    const std::string_view priority =
        text_of(settings.chart.at({"operatorConfig", "priorityClassName"}));
    put_if(spec, !priority.empty(), "priorityClassName", priority);
}

Value selector(const Workload& workload) {
    return Value::map({{"app", workload.name}});
}

Value pod_template(const Workload& workload, const ApiProxyPlan& proxy, const Settings& settings) {
    Value volumes = Value::list();
    add_volumes(workload, volumes);
    volumes.append(empty_volume("tmp"));
    volumes.append(empty_volume("socket"));
    Value spec = Value::map({{"serviceAccountName", workload.account},
                             {"containers", Value::list({tailscale_container(workload, settings),
                                                         api_container(workload, proxy)})},
                             {"terminationGracePeriodSeconds", kPodGrace},
                             {"volumes", std::move(volumes)}});
    place(settings, spec);
    Value labels = labels_of(workload);
    labels.add("app", workload.name);
    Value annotations = Value::map(
        {{Value::borrowed(kConfigHashAnnotation),
          config_hash(workload,
                      Value::map({{"acceptDNS", false}, {"NoStatefulFiltering", true}}))}});
    return Value::map({{"metadata", Value::map({{"annotations", std::move(annotations)},
                                                {"labels", std::move(labels)}})},
                       {"spec", std::move(spec)}});
}

std::string config(const Workload& workload) {
    Value config = replica_config(workload, 0);
    config.add("NoStatefulFiltering", true);
    config.add("OperatorUser", kApiUserName);
    return write_json(config);
}

}  // namespace

void generate_feature(const Plan& plan, const Workload& workload, const ApiProxyPlan& proxy,
                      Objects& objects) {
    if (workload.makes_account) {
        add_object(workload, service_account(workload), objects);
    }
    Value data = Value::map({{"cap-107.hujson", encode_base64(config(workload))}});
    add_object(workload, config_secret(workload, 0, std::move(data)), objects);
    Value rules = Value::list(
        {name_rule("secrets", pod_names(workload), Value::list({"get", "update", "patch"}))});
    add_followed_secrets(workload, rules);
    add_object(workload, role(workload, std::move(rules)), objects);
    add_object(workload, role_binding(workload), objects);
    add_object(
        workload,
        stateful_set(workload,
                     Value::map({{"selector", Value::map({{"matchLabels", selector(workload)}})},
                                 {"serviceName", workload.name},
                                 {"template", pod_template(workload, proxy, plan.settings)}})),
        objects);
}

}  // namespace renderer
