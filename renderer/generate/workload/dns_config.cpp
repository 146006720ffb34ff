#include "renderer/generate/workload/dns_config.h"

#include "renderer/kube/api.h"
#include "renderer/plan/class/pod_fields.h"

namespace renderer {

namespace {

constexpr int kPort = 53;
constexpr int kPodPort = 1053;
constexpr int kHealthPort = 9002;
constexpr int kNobody = 65532;
constexpr int kHistory = 5;  // old ReplicaSets, as in the operator

Value metadata(const DnsConfigPlan& config) {
    Value labels = Value::map({{"app.kubernetes.io/component", "nameserver"},
                               {"app.kubernetes.io/name", "tailscale"},
                               {"tailscale.com/managed", "true"},
                               {"tailscale.com/parent-resource", config.parent_name},
                               {"tailscale.com/parent-resource-ns", config.ns},
                               {"tailscale.com/parent-resource-type", "nameserver"}});
    return Value::map({{"name", Value::borrowed(kNameserver)},
                       {"namespace", config.ns},
                       {"labels", std::move(labels)}});
}

Value selector() {
    return Value::map({{"app", "nameserver"}});
}

Value container(const DnsConfigPlan& config) {
    return Value::map(
        {{"name", "nameserver"},
         {"image", config.image},
         {"imagePullPolicy", config.pull_policy},
         {"args", Value::list({"nameserver"})},
         {"ports",
          Value::list(
              {Value::map({{"name", "tcp"}, {"protocol", "TCP"}, {"containerPort", kPodPort}}),
               Value::map({{"name", "udp"}, {"protocol", "UDP"}, {"containerPort", kPodPort}})})},
         {"readinessProbe",
          Value::map({{"httpGet", Value::map({{"path", "/readyz"}, {"port", kHealthPort}})},
                      {"periodSeconds", 2}})},
         {"securityContext",
          Value::map({{"allowPrivilegeEscalation", false},
                      {"capabilities", Value::map({{"drop", Value::list({"ALL"})}})},
                      {"readOnlyRootFilesystem", true},
                      {"runAsGroup", kNobody},
                      {"runAsNonRoot", true},
                      {"runAsUser", kNobody},
                      {"seccompProfile", Value::map({{"type", "RuntimeDefault"}})}})},
         {"volumeMounts", Value::list({Value::map({{"name", Value::borrowed(kDnsRecords)},
                                                   {"mountPath", "/config"}})})}});
}

Value pod(const DnsConfigPlan& config, const Value* pull_secrets) {
    Value spec = Value::map(
        {{"containers", Value::list({container(config)})},
         {"restartPolicy", "Always"},
         {"serviceAccount", Value::borrowed(kNameserver)},
         {"serviceAccountName", Value::borrowed(kNameserver)},
         {"volumes",
          Value::list({Value::map(
              {{"name", Value::borrowed(kDnsRecords)},
               {"configMap", Value::map({{"name", Value::borrowed(kDnsRecords)}})}})})}});
    if (pull_secrets != nullptr && pull_secrets->is_list() && pull_secrets->size() > 0) {
        spec.add("imagePullSecrets", pull_secrets->clone());
    }
    if (config.tolerations != nullptr && config.tolerations->size() > 0) {
        spec.add("tolerations", pod_field("tolerations", *config.tolerations));
    }
    return spec;
}

Value deployment(const DnsConfigPlan& config, const Value* pull_secrets) {
    Value pod_template = Value::map(
        {{"metadata", Value::map({{"labels", selector()}})}, {"spec", pod(config, pull_secrets)}});
    return Value::map({{"apiVersion", "apps/v1"},
                       {"kind", "Deployment"},
                       {"metadata", metadata(config)},
                       {"spec", Value::map({{"replicas", config.replicas},
                                            {"revisionHistoryLimit", kHistory},
                                            {"selector", Value::map({{"matchLabels", selector()}})},
                                            {"strategy", Value::map({{"type", "Recreate"}})},
                                            {"template", std::move(pod_template)}})}});
}

Value port(std::string_view name, std::string_view protocol) {
    return Value::map(
        {{"name", name}, {"port", kPort}, {"protocol", protocol}, {"targetPort", kPodPort}});
}

Value service(const DnsConfigPlan& config) {
    Value head = metadata(config);
    head.add("annotations",
             Value::map({{Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion)},
                         {Value::borrowed(kParentAnnotation), config.origin.parent}}));
    Value spec = Value::map({{"ports", Value::list({port("udp", "UDP"), port("tcp", "TCP")})},
                             {"selector", selector()}});
    put_if(spec, !config.cluster_ip.empty(), "clusterIP", config.cluster_ip);
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", std::move(head)},
                       {"spec", std::move(spec)}});
}

}  // namespace

void generate_dns_config(const Plan& plan, Objects& objects) {
    if (!plan.dns_config) {
        return;
    }
    const DnsConfigPlan& config = *plan.dns_config;
    Value account = Value::map(
        {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata(config)}});
    const Value* pull_secrets = plan.settings.chart.at({"imagePullSecrets"});  // our image's, too
    Value roots[] = {std::move(account), deployment(config, pull_secrets), service(config)};
    for (Value& root : roots) {
        objects.push_back({.root = std::move(root),
                           .origin = config.origin,
                           .bundle = config.bundle,
                           .generator = "dns-config"});
    }
}

}  // namespace renderer
