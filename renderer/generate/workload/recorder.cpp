#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/class/pod_fields.h"

namespace renderer::generate {

namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";

// Returns the user's entries, overridden by ours.
Value merged(const Value* users, const Value& ours) {
    Value all = users == nullptr ? Value::map() : users->clone();
    for (const Member& member : ours.members()) {
        all.put(member.key.clone(), member.value.clone());
    }
    return all;
}

// Helm, and therefore Fleet, sets `managed-by` on every object of a release, so rendered objects
// would permanently look modified. Only pods and the selector, which nothing else writes, have it.
Value pod_labels(const plan::Workload& workload, const classify::Fields& pod) {
    Value ours = plan::labels_of(workload);
    ours.add(Value::borrowed(kManagedBy), "tailscale-operator");
    return merged(pod.map("labels"), ours);
}

void put_annotations(Value& metadata, const classify::Fields& owner) {
    const Value* annotations = owner.map("annotations");
    if (annotations != nullptr && annotations->size() > 0) {
        metadata.add("annotations", annotations->clone());
    }
}

Value account(const plan::Workload& workload, const classify::Fields& pod) {
    Value made = service_account(workload);
    put_annotations(*made.find("metadata"), classify::Fields(pod.map("serviceAccount")));
    return made;
}

// Returns the rules. The Recorder only reads its keys, because the controller relies on what it
// notes on their Secrets.
Value recorder_rules(const plan::Workload& workload) {
    Value rules = Value::list();
    if (!workload.hostnames.empty()) {
        Value keys = Value::list();
        for (std::size_t i = 0; i < workload.hostnames.size(); ++i) {
            keys.append(auth_secret_name(workload.pod(i)));
        }
        rules.append(
            name_rule("secrets", pod_names(workload), Value::list({"get", "patch", "update"})));
        rules.append(name_rule("secrets", std::move(keys), Value::list({"get"})));
    }
    rules.append(Value::map({{"apiGroups", Value::list({""})},
                             {"resources", Value::list({"events"})},
                             {"verbs", Value::list({"get", "create", "patch"})}}));
    return rules;
}

Value recorder_container(const plan::Workload& workload, const classify::CustomResource& input) {
    const classify::Fields users = input.fields_at({"statefulSet", "pod", "container"});
    Value made = container(workload, "recorder",
                           Value::list({env_from_field(variable::kPodName, "metadata.name"),
                                        env_from_field(variable::kPodUid, "metadata.uid")}));
    Value mounts = Value::list({Value::map({{"name", "data"}, {"mountPath", "/data"}})});
    add_mounts(workload, mounts);
    made.add("command", Value::list({"/tsrecorder"}));
    made.add("volumeMounts", std::move(mounts));
    if (const Value* wanted = users.map("resources")) {
        Value resources = plan::pod_field("resources", *wanted);
        if (resources.size() > 0) {
            made.add("resources", std::move(resources));
        }
    }
    plan::put_pod_field("securityContext", users.any("securityContext"), made);
    const std::string_view credentials =
        input.fields_at({"storage", "s3", "credentials", "secret"}).text("name");
    put_if(made, !credentials.empty(), "envFrom",
           Value::list({Value::map({{"secretRef", Value::map({{"name", credentials}})}})}));
    return made;
}

Value recorder_pod_template(const plan::Workload& workload, const classify::CustomResource& input) {
    const classify::Fields pod = input.fields_at({"statefulSet", "pod"});
    Value head = Value::map({{"name", workload.name},
                             {"namespace", workload.ns},
                             {"labels", pod_labels(workload, pod)}});
    put_annotations(head, pod);
    Value volumes = Value::list({Value::map({{"name", "data"}, {"emptyDir", Value::map()}})});
    add_volumes(workload, volumes);
    Value spec = Value::map({{"serviceAccountName", workload.account},
                             {"containers", Value::list({recorder_container(workload, input)})},
                             {"volumes", std::move(volumes)}});
    for (const std::string_view name :
         {"affinity", "securityContext", "imagePullSecrets", "nodeSelector", "tolerations"}) {
        plan::put_pod_field(name, pod.any(name), spec);
    }
    return Value::map({{"metadata", std::move(head)}, {"spec", std::move(spec)}});
}

// Returns the StatefulSet. It also has the user's labels and annotations, except for those of the
// contract with the controller.
Value recorder_set(const plan::Workload& workload, const classify::CustomResource& input) {
    const classify::Fields users = input.fields_at({"statefulSet"});
    Value made = stateful_set(
        workload,
        Value::map(
            {{"selector", Value::map({{"matchLabels",
                                       pod_labels(workload, classify::Fields(users.map("pod")))}})},
             {"template", recorder_pod_template(workload, input)}}));
    Value& head = *made.find("metadata");
    Value labels = merged(users.map("labels"), *head.find("labels"));
    labels.erase(kManagedBy);
    Value annotations = merged(users.map("annotations"), *head.find("annotations"));
    if (workload.tailnet.empty()) {
        annotations.erase(kTailnetAnnotation);
    }
    head.put("labels", std::move(labels));
    head.put("annotations", std::move(annotations));
    return made;
}

}  // namespace

void generate_feature(const plan::Plan& /*plan*/, const plan::Workload& workload,
                      const plan::RecorderPlan& recorder, Objects& objects) {
    add_object(workload, account(workload, recorder.input->fields_at({"statefulSet", "pod"})),
               objects);
    add_object(workload, role(workload, recorder_rules(workload)), objects);
    add_object(workload, role_binding(workload), objects);
    add_object(workload, recorder_set(workload, *recorder.input), objects);
}

}  // namespace renderer::generate
