#include "renderer/classify/recorder.h"

#include <array>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

namespace {

using Policy = std::pair<std::string_view, std::string_view>;
constexpr std::array kPullPolicies = {Policy{"Always", "Always"}, Policy{"Never", "Never"},
                                      Policy{"IfNotPresent", "IfNotPresent"}};

EnvInput decode_env(const Value& entry, Faults& faults) {
    const Fields fields(&entry, "spec.statefulSet.pod.container.env[]", faults);
    return {.name = fields.text("name"),
            .value = fields.text("value"),
            .pos = known_or(fields.pos("name"), entry.pos())};
}

void decode_container(const Value* map, RecorderPod& pod, Faults& faults) {
    const Fields container(map, "spec.statefulSet.pod.container", faults);
    pod.image = container.text("image");
    pod.pull_policy = container.choice("imagePullPolicy", kPullPolicies, std::string_view());
    pod.resources = container.map("resources");
    pod.container_security_context = container.map("securityContext");
    if (const Value* env = container.list("env"); env != nullptr) {
        for (const Value& entry : env->items()) {
            pod.env.push_back(decode_env(entry, faults));
        }
    }
}

RecorderPod decode_pod(const Value* map, Faults& faults) {
    const Fields fields(map, "spec.statefulSet.pod", faults);
    RecorderPod pod;
    pod.labels = fields.text_map("labels");
    pod.annotations = fields.text_map("annotations");
    pod.affinity = fields.map("affinity");
    pod.security_context = fields.map("securityContext");
    pod.image_pull_secrets = fields.list("imagePullSecrets");
    pod.node_selector = fields.text_map("nodeSelector");
    pod.tolerations = fields.list("tolerations");
    decode_container(fields.map("container"), pod, faults);
    const Fields account(fields.map("serviceAccount"), "spec.statefulSet.pod.serviceAccount",
                         faults);
    pod.account = account.text("name");
    pod.account_pos = account.pos("name");
    pod.account_annotations = account.text_map("annotations");
    return pod;
}

void decode_storage(const Value* map, RecorderInput& recorder) {
    const Fields storage(map, "spec.storage", recorder.faults);
    const Fields s3(storage.map("s3"), "spec.storage.s3", recorder.faults);
    recorder.s3 = s3.exists();
    recorder.endpoint = s3.text("endpoint");
    recorder.bucket = s3.text("bucket");
    const Fields credentials(s3.map("credentials"), "spec.storage.s3.credentials", recorder.faults);
    const Fields secret(credentials.map("secret"), "spec.storage.s3.credentials.secret",
                        recorder.faults);
    recorder.credentials = secret.text("name");
}

}  // namespace

RecorderInput decode_recorder(const Document& doc) {
    RecorderInput recorder;
    decode_metadata(doc, recorder);
    const Fields spec(doc.root.find("spec"), "spec", recorder.faults);
    const Fields stateful_set(spec.map("statefulSet"), "spec.statefulSet", recorder.faults);
    recorder.labels = stateful_set.text_map("labels");
    recorder.annotations = stateful_set.text_map("annotations");
    recorder.pod = decode_pod(stateful_set.map("pod"), recorder.faults);
    recorder.tags = spec.texts("tags");
    recorder.ui = spec.flag("enableUI");
    decode_storage(spec.map("storage"), recorder);
    recorder.replicas_pos = spec.pos("replicas");
    recorder.replicas = spec.any("replicas") == nullptr ? 1 : spec.number("replicas");
    recorder.tailnet = spec.text("tailnet");
    recorder.tailnet_pos = spec.pos("tailnet");
    return recorder;
}

}  // namespace renderer
