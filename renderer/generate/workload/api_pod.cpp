#include "renderer/generate/workload/api_pod.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/ports.h"
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
    Value environment = Value::list({env("APISERVER_PROXY", pod.impersonates ? "true" : "noauth"),
                                     env(variable::kApiGrace, fmt::format("{}", kSessionGrace))});
    if (!pod.service.empty()) {
        environment.append(env(variable::kApiService, pod.service));
    }
    if (!pod.unrecorded.empty()) {
        environment.append(env(variable::kApiUnrecorded, pod.unrecorded));
    }
    environment.append(env(variable::kSocket, kSocket));
    Value made = bare_container(workload, "api", std::move(environment));
    made.add("command", Value::list({"tailrender-proxy", "api"}));
    made.add("ports",
             Value::list({Value::map(
                 {{"containerPort", port::kLocal}, {"name", "http"}, {"protocol", "TCP"}})}));
    made.add("readinessProbe",
             Value::map({{"httpGet", Value::map({{"path", "/readyz"}, {"port", port::kLocal}})},
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
        {env(variable::kUserspace, "true"), env_from_field(variable::kPodIp, "status.podIP"),
         env_from_field(variable::kPodName, "metadata.name"),
         env_from_field(variable::kPodUid, "metadata.uid"),
         env(variable::kKubeSecret, variable::kPodNameValue), env(variable::kSocket, kSocket),
         env(variable::kAutoAdvertisement, "false"), env(variable::kConfigDir, kConfigFolderOfPod),
         env(variable::kForceRenewal, "true")});
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
