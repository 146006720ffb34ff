#include "renderer/generate/install/install_objects.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/settings/settings_decoder.h"

namespace renderer::generate {

namespace {

bool is_set(const Value* value) {
    return value != nullptr && (value->is_map() || value->is_list()) && value->size() > 0;
}

void copy_if_set(const plan::Settings& settings, std::initializer_list<std::string_view> path,
                 Value key, Value& into) {
    const Value* value = settings.chart.at(path);
    if (is_set(value)) {
        into.put(std::move(key), value->clone());
    }
}

Value credentials_volume(const plan::Settings& settings) {
    switch (plan::credentials_of(settings)) {
        case plan::Credentials::CustomVolume: {
            Value volume = settings.chart.find("oauthSecretVolume")->clone();
            volume.put("name", "oauth");
            return volume;
        }
        case plan::Credentials::WorkloadIdentity: {
            Value token =
                Value::map({{"audience", plan::text_at(settings.chart, {"oauth", "audience"})},
                            {"expirationSeconds", 3600},
                            {"path", "token"}});
            Value source = Value::map({{"serviceAccountToken", std::move(token)}});
            return Value::map(
                {{"name", "oidc-jwt"},
                 {"projected", Value::map({{"defaultMode", 420},
                                           {"sources", Value::list({std::move(source)})}})}});
        }
        case plan::Credentials::Secret:
            break;
    }
    return Value::map(
        {{"name", "oauth"}, {"secret", Value::map({{"secretName", settings.names.oauth_secret}})}});
}

Value credentials_mount(const plan::Settings& settings) {
    if (plan::credentials_of(settings) == plan::Credentials::WorkloadIdentity) {
        return Value::map({{"name", "oidc-jwt"},
                           {"mountPath", "/var/run/secrets/tailscale/serviceaccount"},
                           {"readOnly", true}});
    }
    return Value::map({{"name", "oauth"}, {"mountPath", "/oauth"}, {"readOnly", true}});
}

// Returns a context for PodSecurity `restricted`. Fields in the values override it.
Value security_context(const plan::Settings& settings) {
    Value context = restricted_security_context();
    const Value* wanted = settings.chart.at({"operatorConfig", "securityContext"});
    return is_set(wanted) ? plan::merge_layers(std::move(context), {wanted}) : std::move(context);
}

Value controller_container(const plan::Settings& settings) {
    Value made = Value::map({{"name", plan::kControllerName}});
    plan::make_controller(made, settings);
    copy_if_set(settings, {"operatorConfig", "resources"}, "resources", made);
    made.add("securityContext", security_context(settings));
    made.add("volumeMounts", Value::list({credentials_mount(settings)}));
    return made;
}

Value pod(const plan::Settings& settings) {
    Value made = Value::map({{"serviceAccountName", settings.names.name},
                             {"containers", Value::list({controller_container(settings)})},
                             {"volumes", Value::list({credentials_volume(settings)})}});
    copy_if_set(settings, {"imagePullSecrets"}, "imagePullSecrets", made);
    copy_if_set(settings, {"operatorConfig", "podSecurityContext"}, "securityContext", made);
    copy_if_set(settings, {"operatorConfig", "nodeSelector"}, "nodeSelector", made);
    copy_if_set(settings, {"operatorConfig", "affinity"}, "affinity", made);
    copy_if_set(settings, {"operatorConfig", "tolerations"}, "tolerations", made);
    const std::string priority =
        plan::text_at(settings.chart, {"operatorConfig", "priorityClassName"});
    put_if(made, !priority.empty(), "priorityClassName", priority);
    return made;
}

Value pod_metadata(const plan::Settings& settings) {
    Value labels = Value::map({{"app", settings.names.name}});
    const Value* wanted = settings.chart.at({"operatorConfig", "podLabels"});
    if (is_set(wanted)) {
        for (const Member& label : wanted->members()) {
            if (label.name() != "app") {
                labels.add(label.key.clone(), label.value.clone());
            }
        }
    }
    Value meta = Value::map({{"labels", std::move(labels)}});
    copy_if_set(settings, {"operatorConfig", "podAnnotations"}, "annotations", meta);
    return meta;
}

}  // namespace

void generate_install_controller(const plan::Plan& plan, Objects& objects) {
    const plan::Settings& settings = plan.settings;
    Value spec = Value::map(
        {{"replicas", 1},
         {"strategy", Value::map({{"type", "Recreate"}})},
         {"selector", Value::map({{"matchLabels", Value::map({{"app", settings.names.name}})}})},
         {"template",
          Value::map({{"metadata", pod_metadata(settings)}, {"spec", pod(settings)}})}});
    Value meta = Value::map({{"name", settings.names.name}, {"namespace", plan.install->ns}});
    copy_if_set(settings, {"annotations"}, "annotations", meta);
    add_object(*plan.install,
               Value::map({{"apiVersion", "apps/v1"},
                           {"kind", "Deployment"},
                           {"metadata", std::move(meta)},
                           {"spec", std::move(spec)}}),
               objects);
}

}  // namespace renderer::generate
