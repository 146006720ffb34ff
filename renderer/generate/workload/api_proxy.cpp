#include <fmt/format.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/core/json.h"
#include "renderer/generate/workload/api_pod.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/install/controller.h"

namespace renderer::generate {

namespace {

// Variables of Tailscale's that containerboot reads say how a pod of its own is set up; those of a
// daemon, and what is not Tailscale's, are for the network that it is in.
bool is_for_tailscaled(std::string_view name) {
    return name.starts_with("TS_DEBUG_") ||
           (!name.starts_with("TS_") && !name.starts_with("EXPERIMENTAL_"));
}

Value tailscaled_env(const plan::Settings& settings) {
    Value made = Value::list();
    for (const Value* entry : plan::users_env(settings)) {
        if (is_for_tailscaled(text_of(entry->find("name")))) {
            made.append(entry->clone());
        }
    }
    append_api_environment(made);
    made.append(env(variable::kInternalApp, "k8s-operator-proxy"));
    if (!settings.log_upload) {
        made.append(env(variable::kNoLogs, "true"));
    }
    return made;
}

// Where the values want the operator's pod, whose part this is.
void place(const plan::Settings& settings, Value& spec) {
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

Value api_proxy_selector(const plan::Workload& workload) {
    return Value::map({{"app", workload.name}});
}

Value pod_template(const plan::Workload& workload, const plan::ApiProxyPlan& proxy,
                   const plan::Settings& settings) {
    Value spec =
        api_pod_spec(workload, {.impersonates = proxy.impersonates, .unrecorded = proxy.unrecorded},
                     tailscaled_env(settings));
    place(settings, spec);
    Value labels = plan::labels_of(workload);
    labels.add("app", workload.name);
    Value annotations = Value::map(
        {{Value::borrowed(kConfigHashAnnotation),
          config_hash(workload,
                      Value::map({{"acceptDNS", false}, {"NoStatefulFiltering", true}}))}});
    return Value::map({{"metadata", Value::map({{"annotations", std::move(annotations)},
                                                {"labels", std::move(labels)}})},
                       {"spec", std::move(spec)}});
}

std::string config(const plan::Workload& workload) {
    Value config = replica_config(workload, 0);
    config.add("NoStatefulFiltering", true);
    config.add("OperatorUser", Value::borrowed(kApiUserName));
    return write_json(config);
}

// The Secret has no data, so that whoever applies it leaves alone what the runtime writes into it.
Value empty_secret(const plan::Workload& workload, std::string_view name) {
    return Value::map(
        {{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", metadata(workload, name)}});
}

// Adds what a pod in a namespace of its own needs, where the controller may create nothing.
void add_apart(const plan::Plan& plan, const plan::Workload& workload, Objects& objects) {
    const classify::OperatorNames& controller = plan.settings.names;
    add_object(workload, empty_secret(workload, workload.pod(0)), objects);
    add_object(workload, empty_secret(workload, auth_secret_name(workload.pod(0))), objects);
    Value its_role = role(workload, plan::controller_api_rules());
    its_role.put("metadata", metadata(workload, controller.name));
    add_object(workload, std::move(its_role), objects);
    add_object(
        workload,
        Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                    {"kind", "RoleBinding"},
                    {"metadata", metadata(workload, controller.name)},
                    {"roleRef", Value::map({{"apiGroup", "rbac.authorization.k8s.io"},
                                            {"kind", "Role"},
                                            {"name", controller.name}})},
                    {"subjects", Value::list({Value::map({{"kind", "ServiceAccount"},
                                                          {"name", controller.name},
                                                          {"namespace", plan.settings.ns}})})}}),
        objects);
}

}  // namespace

void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::ApiProxyPlan& proxy, Objects& objects) {
    if (workload.makes_account) {
        add_object(workload, service_account(workload), objects);
    }
    Value data = Value::map({{config_datum(107), encode_base64(config(workload))}});
    add_object(workload, config_secret(workload, 0, std::move(data)), objects);
    if (workload.ns != plan.settings.ns) {
        add_apart(plan, workload, objects);
    }
    Value rules = Value::list(
        {name_rule("secrets", pod_names(workload), Value::list({"get", "update", "patch"}))});
    add_followed_secrets(workload, rules);
    add_object(workload, role(workload, std::move(rules)), objects);
    add_object(workload, role_binding(workload), objects);
    add_object(
        workload,
        stateful_set(
            workload,
            Value::map({{"selector", Value::map({{"matchLabels", api_proxy_selector(workload)}})},
                        {"serviceName", workload.name},
                        {"template", pod_template(workload, proxy, plan.settings)}})),
        objects);
}

}  // namespace renderer::generate
