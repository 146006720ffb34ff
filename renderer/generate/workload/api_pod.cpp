#include "renderer/generate/workload/api_pod.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/dataplanes.h"

namespace renderer::generate {

namespace {

constexpr std::string_view kSocketFolder = "/var/run/tailscale";
constexpr std::string_view kSocket = "/var/run/tailscale/tailscaled.sock";
constexpr int kSessionGrace = 25;  // seconds for sessions to end
constexpr int kPodGrace = 40;      // seconds: for sessions and tailscaled to end
constexpr int kMoveGrace = 25;     // seconds more, until the tailnet sends clients to other pods
// Both containers are stopped at once, but sessions need tailscaled until they have ended. So
// tailscaled waits while the other one listens. In /proc/net the port is 232A, and listening is 0A.
constexpr std::string_view kWaitForSessions =
    "while grep -q ':232A [0:]* 0A ' /proc/net/tcp6 /proc/net/tcp; do sleep 1; done";

Value socket_mount() {
    return Value::map({{"mountPath", Value::borrowed(kSocketFolder)}, {"name", "socket"}});
}

Value api_tailscale_container(const plan::Workload& workload, Value environment) {
    Value made = container(workload, "tailscale", std::move(environment));
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

Value api_container(const plan::Workload& workload, const ApiPod& pod) {
    Value environment =
        Value::list({env("APISERVER_PROXY", pod.impersonates ? "true" : "noauth"),
                     env("TAILRENDER_API_GRACE_SECONDS", fmt::format("{}", kSessionGrace))});
    if (!pod.service.empty()) {
        environment.append(env("TAILRENDER_API_SERVICE", pod.service));
    }
    if (!pod.unrecorded.empty()) {
        environment.append(env("TAILRENDER_API_UNRECORDED", pod.unrecorded));
    }
    environment.append(env("TS_SOCKET", kSocket));
    Value made = bare_container(workload, "api", std::move(environment));
    made.add("command", Value::list({"tailrender-proxy", "api"}));
    made.add("ports",
             Value::list({Value::map(
                 {{"containerPort", kHealthPort}, {"name", "http"}, {"protocol", "TCP"}})}));
    made.add("readinessProbe",
             Value::map({{"httpGet", Value::map({{"path", "/readyz"}, {"port", kHealthPort}})},
                         {"periodSeconds", kReadyPeriod}}));
    made.add("resources", proxy_resources());
    made.add("securityContext", restricted_security_context(plan::kApiUser));
    made.add("volumeMounts", Value::list({socket_mount()}));
    return made;
}

Value empty_volume(std::string_view name) {
    return Value::map({{"name", Value::borrowed(name)}, {"emptyDir", Value::map()}});
}

}  // namespace

void append_api_environment(Value& environment) {
    Value ours = Value::list(
        {env("TS_USERSPACE", "true"), env_from_field("POD_IP", "status.podIP"),
         env_from_field("POD_NAME", "metadata.name"), env_from_field("POD_UID", "metadata.uid"),
         env("TS_KUBE_SECRET", "$(POD_NAME)"), env("TS_SOCKET", kSocket),
         env("TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT", "false"),
         env("TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR", "/etc/tsconfig/$(POD_NAME)"),
         env(plan::kForceRenewal, "true")});
    for (Value& entry : ours.items()) {
        environment.append(std::move(entry));
    }
}

Value api_pod_spec(const plan::Workload& workload, const ApiPod& pod, Value environment) {
    Value volumes = Value::list();
    add_volumes(workload, volumes);
    volumes.append(empty_volume("tmp"));
    volumes.append(empty_volume("socket"));
    const int grace = kPodGrace + (pod.service.empty() ? 0 : kMoveGrace);
    return Value::map(
        {{"serviceAccountName", workload.account},
         {"containers", Value::list({api_tailscale_container(workload, std::move(environment)),
                                     api_container(workload, pod)})},
         {"terminationGracePeriodSeconds", grace},
         {"volumes", std::move(volumes)}});
}

}  // namespace renderer::generate
