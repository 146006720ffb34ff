#include "renderer/generate/workload/recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/kube/api.h"
#include "renderer/plan/class/pod_fields.h"

namespace renderer {

namespace {

std::string pod_name(const RecorderPlan& recorder, std::int64_t ordinal) {
    return fmt::format("{}-{}", recorder.name, ordinal);
}

std::string auth_secret(const RecorderPlan& recorder, std::int64_t ordinal) {
    return fmt::format("{}-auth", pod_name(recorder, ordinal));
}

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";

// Ours win over the user's of the same name.
Value labels(const RecorderPlan& recorder, const Value* users) {
    Value all = users == nullptr ? Value::map() : users->clone();
    all.put("app.kubernetes.io/name", "recorder");
    all.put("app.kubernetes.io/instance", recorder.name);
    all.put(Value::borrowed(kManagedBy), "tailscale-operator");
    return all;
}

// Without the label that Helm, and so Fleet, gives to every object of a release: what is rendered
// would look changed for ever. Pods and the selector, which no one writes to, keep it.
Value metadata(const RecorderPlan& recorder, std::string_view name, const Value* users = nullptr) {
    Value all = labels(recorder, users);
    all.erase(kManagedBy);
    return Value::map({{"name", name}, {"namespace", recorder.ns}, {"labels", std::move(all)}});
}

// Those of the user that are not in our domain.
Value annotations(const Value* users) {
    Value all = users == nullptr ? Value::map() : users->clone();
    for (const std::string_view key : {kContractAnnotation, kHostnameAnnotation, kParentAnnotation,
                                       kTagsAnnotation, kTailnetAnnotation}) {
        all.erase(key);
    }
    return all;
}

void put_copy(Value& map, Value key, const Value* value) {
    if (value != nullptr && value->size() > 0) {
        map.add(std::move(key), value->clone());
    }
}

void put_field(Value& map, std::string_view name, const Value* value) {
    if (value != nullptr && !is_left_out(name, *value)) {
        map.add(Value::borrowed(name), pod_field(name, *value));
    }
}

Value service_account(const RecorderPlan& recorder) {
    Value head = metadata(recorder, recorder.account);
    put_copy(head, "annotations", recorder.input->pod.account_annotations);
    return Value::map(
        {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", std::move(head)}});
}

Value secret_rule(Value names, Value verbs) {
    return Value::map({{"apiGroups", Value::list({""})},
                       {"resources", Value::list({"secrets"})},
                       {"resourceNames", std::move(names)},
                       {"verbs", std::move(verbs)}});
}

// Its keys it only reads: what the controller notes on their Secrets is what it goes by. Without a
// replica there is no rule for Secrets: one without names would allow all of them.
Value role(const RecorderPlan& recorder) {
    Value rules = Value::list();
    if (recorder.replicas > 0) {
        Value states = Value::list();
        Value keys = Value::list();
        for (std::int64_t i = 0; i < recorder.replicas; ++i) {
            states.append(Value(pod_name(recorder, i)));
            keys.append(Value(auth_secret(recorder, i)));
        }
        rules.append(secret_rule(std::move(states), Value::list({"get", "patch", "update"})));
        rules.append(secret_rule(std::move(keys), Value::list({"get"})));
    }
    rules.append(Value::map({{"apiGroups", Value::list({""})},
                             {"resources", Value::list({"events"})},
                             {"verbs", Value::list({"get", "create", "patch"})}}));
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "Role"},
                       {"metadata", metadata(recorder, recorder.name)},
                       {"rules", std::move(rules)}});
}

Value role_binding(const RecorderPlan& recorder) {
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "RoleBinding"},
                       {"metadata", metadata(recorder, recorder.name)},
                       {"roleRef", Value::map({{"apiGroup", "rbac.authorization.k8s.io"},
                                               {"kind", "Role"},
                                               {"name", recorder.name}})},
                       {"subjects", Value::list({Value::map({{"kind", "ServiceAccount"},
                                                             {"name", recorder.account},
                                                             {"namespace", recorder.ns}})})}});
}

Value env(std::string_view name, std::string_view value) {
    Value entry = Value::map({{"name", name}});
    put_if(entry, !value.empty(), "value", value);
    return entry;
}

Value env_from_field(std::string_view name, std::string_view field) {
    return Value::map(
        {{"name", name},
         {"valueFrom", Value::map({{"fieldRef", Value::map({{"fieldPath", field}})}})}});
}

// The order counts: of two entries with one name a container takes the last, so only that stays.
Value environment(const RecorderPlan& recorder) {
    const RecorderInput& input = *recorder.input;
    std::vector<Value> all;
    all.push_back(env_from_field("POD_NAME", "metadata.name"));
    all.push_back(env_from_field("POD_UID", "metadata.uid"));
    all.push_back(env("TS_AUTHKEY_FILE", "/etc/tailscaled/$(POD_NAME)/authkey"));
    all.push_back(env("TS_STATE", "kube:$(POD_NAME)"));
    all.push_back(env("TSRECORDER_HOSTNAME", recorder.hostname_wish));
    all.push_back(env("TSRECORDER_LOGIN_SERVER", recorder.server_url));
    for (const EnvInput& users : input.pod.env) {
        all.push_back(env(users.name, users.value));
    }
    all.push_back(env("TSRECORDER_DST", recorder.destination));
    if (input.s3) {
        all.push_back(env("TSRECORDER_BUCKET", input.bucket));
    }
    if (input.ui) {
        all.push_back(env("TSRECORDER_UI", "true"));
    }
    Value unique = Value::list();
    for (auto entry = all.begin(); entry != all.end(); ++entry) {
        const auto same_name = [&](const Value& later) {
            return *later.find("name") == *entry->find("name");
        };
        if (std::none_of(entry + 1, all.end(), same_name)) {
            unique.append(std::move(*entry));
        }
    }
    return unique;
}

Value mounts(const RecorderPlan& recorder) {
    Value list = Value::list({Value::map({{"name", "data"}, {"mountPath", "/data"}})});
    for (std::int64_t i = 0; i < recorder.replicas; ++i) {
        list.append(
            Value::map({{"name", fmt::format("authkey-{}", i)},
                        {"mountPath", fmt::format("/etc/tailscaled/{}", pod_name(recorder, i))},
                        {"readOnly", true}}));
    }
    return list;
}

Value volumes(const RecorderPlan& recorder) {
    Value list = Value::list({Value::map({{"name", "data"}, {"emptyDir", Value::map()}})});
    for (std::int64_t i = 0; i < recorder.replicas; ++i) {
        list.append(Value::map(
            {{"name", fmt::format("authkey-{}", i)},
             {"secret",
              Value::map({{"secretName", auth_secret(recorder, i)},
                          {"items", Value::list({Value::map(
                                        {{"key", "authkey"}, {"path", "authkey"}})})}})}}));
    }
    return list;
}

Value container(const RecorderPlan& recorder) {
    const RecorderInput& input = *recorder.input;
    Value made = Value::map({{"name", "recorder"},
                             {"image", recorder.image},
                             {"command", Value::list({"/tsrecorder"})},
                             {"env", environment(recorder)},
                             {"volumeMounts", mounts(recorder)}});
    put_if(made, !input.pod.pull_policy.empty(), "imagePullPolicy", input.pod.pull_policy);
    if (input.pod.resources != nullptr) {
        Value resources = pod_field("resources", *input.pod.resources);
        if (resources.size() > 0) {
            made.add("resources", std::move(resources));
        }
    }
    put_field(made, "securityContext", input.pod.container_security_context);
    put_if(made, input.s3 && !input.credentials.empty(), "envFrom",
           Value::list({Value::map({{"secretRef", Value::map({{"name", input.credentials}})}})}));
    return made;
}

Value pod_template(const RecorderPlan& recorder) {
    const RecorderPod& pod = recorder.input->pod;
    Value head = Value::map({{"name", recorder.name},
                             {"namespace", recorder.ns},
                             {"labels", labels(recorder, pod.labels)}});
    put_copy(head, "annotations", pod.annotations);
    Value spec = Value::map({{"serviceAccountName", recorder.account},
                             {"containers", Value::list({container(recorder)})},
                             {"volumes", volumes(recorder)}});
    put_field(spec, "affinity", pod.affinity);
    put_field(spec, "securityContext", pod.security_context);
    put_field(spec, "imagePullSecrets", pod.image_pull_secrets);
    put_field(spec, "nodeSelector", pod.node_selector);
    put_field(spec, "tolerations", pod.tolerations);
    return Value::map({{"metadata", std::move(head)}, {"spec", std::move(spec)}});
}

Value stateful_set(const RecorderPlan& recorder) {
    Value contract = annotations(recorder.input->annotations);
    contract.add(Value::borrowed(kContractAnnotation), Value::borrowed(kContractVersion));
    contract.add(Value::borrowed(kHostnameAnnotation),
                 fmt::format("{}", fmt::join(recorder.hostnames, ",")));
    contract.add(Value::borrowed(kParentAnnotation), recorder.origin.parent);
    contract.add(Value::borrowed(kTagsAnnotation),
                 fmt::format("{}", fmt::join(recorder.tags, ",")));
    put_if(contract, !recorder.tailnet.empty(), Value::borrowed(kTailnetAnnotation),
           recorder.tailnet);
    Value head = metadata(recorder, recorder.name, recorder.input->labels);
    head.add("annotations", std::move(contract));
    Value selector = Value::map({{"matchLabels", labels(recorder, recorder.input->pod.labels)}});
    return Value::map({{"apiVersion", "apps/v1"},
                       {"kind", "StatefulSet"},
                       {"metadata", std::move(head)},
                       {"spec", Value::map({{"replicas", recorder.replicas},
                                            {"selector", std::move(selector)},
                                            {"template", pod_template(recorder)}})}});
}

}  // namespace

void generate_recorders(const Plan& plan, Objects& objects) {
    for (const RecorderPlan& recorder : plan.recorders) {
        Value roots[] = {service_account(recorder), role(recorder), role_binding(recorder),
                         stateful_set(recorder)};
        for (Value& root : roots) {
            objects.push_back({.root = std::move(root),
                               .origin = recorder.origin,
                               .bundle = recorder.bundle,
                               .generator = "recorder"});
        }
    }
}

}  // namespace renderer
