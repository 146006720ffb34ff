#include "renderer/plan/workload/dns_config.h"

#include <algorithm>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/contract/ports.h"
#include "renderer/core/text_of.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/class/pod_fields.h"

namespace renderer::generate {

namespace {

constexpr int kPort = 53;
constexpr int kHistory = 5;  // old ReplicaSets, as in the operator

Value nameserver_selector() {
    return Value::map({{"app", "nameserver"}});
}

Value nameserver_container(const plan::Workload& workload) {
    Value made = container(workload, "nameserver", Value::list());
    made.add("args", Value::list({"nameserver"}));
    made.add(
        "ports",
        Value::list(
            {Value::map(
                 {{"name", "tcp"}, {"protocol", "TCP"}, {"containerPort", port::kNameserver}}),
             Value::map(
                 {{"name", "udp"}, {"protocol", "UDP"}, {"containerPort", port::kNameserver}})}));
    made.add("readinessProbe",
             Value::map({{"httpGet", Value::map({{"path", "/readyz"}, {"port", port::kLocal}})},
                         {"periodSeconds", 2}}));
    made.add("securityContext", restricted_security_context());
    made.add("volumeMounts", Value::list({Value::map({{"name", Value::borrowed(kDnsRecords)},
                                                      {"mountPath", "/config"}})}));
    return made;
}

void add_secrets(const Value* secrets, Value& all) {
    if (secrets == nullptr || !secrets->is_list()) {
        return;
    }
    for (const Value& secret : secrets->items()) {
        const bool is_known = std::ranges::any_of(all.items(), [&](const Value& one) {
            return text_of(one, {"name"}) == text_of(secret, {"name"});
        });
        if (!is_known) {
            all.append(plan::pod_field("imagePullSecrets", secret));
        }
    }
}

Value pod(const plan::Workload& workload, const plan::NameserverPlan& nameserver,
          const Value* pull_secrets) {
    Value spec = Value::map(
        {{"containers", Value::list({nameserver_container(workload)})},
         {"restartPolicy", "Always"},
         {"serviceAccount", workload.account},
         {"serviceAccountName", workload.account},
         {"volumes",
          Value::list({Value::map(
              {{"name", Value::borrowed(kDnsRecords)},
               {"configMap", Value::map({{"name", Value::borrowed(kDnsRecords)}})}})})}});
    Value secrets = Value::list();
    add_secrets(pull_secrets, secrets);
    add_secrets(nameserver.pull_secrets, secrets);
    if (secrets.size() > 0) {
        spec.add("imagePullSecrets", std::move(secrets));
    }
    plan::put_pod_field("affinity", nameserver.affinity, spec);
    plan::put_pod_field("nodeSelector", nameserver.node_selector, spec);
    plan::put_pod_field("tolerations", nameserver.tolerations, spec);
    return spec;
}

Value deployment(const plan::Workload& workload, const plan::NameserverPlan& nameserver,
                 const Value* pull_secrets) {
    return Value::map(
        {{"apiVersion", "apps/v1"},
         {"kind", "Deployment"},
         {"metadata", metadata(workload, workload.name)},
         {"spec",
          Value::map({{"replicas", nameserver.replicas},
                      {"revisionHistoryLimit", kHistory},
                      {"selector", Value::map({{"matchLabels", nameserver_selector()}})},
                      {"strategy", Value::map({{"type", "Recreate"}})},
                      {"template",
                       Value::map({{"metadata", Value::map({{"labels", nameserver_selector()}})},
                                   {"spec", pod(workload, nameserver, pull_secrets)}})}})}});
}

Value port(std::string_view name, std::string_view protocol) {
    return Value::map({{"name", name},
                       {"port", kPort},
                       {"protocol", protocol},
                       {"targetPort", port::kNameserver}});
}

Value service(const plan::Workload& workload, const plan::NameserverPlan& nameserver) {
    Value head = metadata(workload, workload.name);
    head.add("annotations",
             Value::map({{Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion)},
                         {Value::borrowed(kParentAnnotation), workload.origin.parent}}));
    Value spec = Value::map({{"ports", Value::list({port("udp", "UDP"), port("tcp", "TCP")})},
                             {"selector", nameserver_selector()}});
    put_if(spec, !nameserver.cluster_ip.empty(), "clusterIP", nameserver.cluster_ip);
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", std::move(head)},
                       {"spec", std::move(spec)}});
}

}  // namespace

void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::NameserverPlan& nameserver, Objects& objects) {
    const Value* pull_secrets = plan.settings.chart.at({"imagePullSecrets"});  // for our image
    add_object(workload, service_account(workload), objects);
    add_object(workload, deployment(workload, nameserver, pull_secrets), objects);
    add_object(workload, service(workload, nameserver), objects);
}

}  // namespace renderer::generate
