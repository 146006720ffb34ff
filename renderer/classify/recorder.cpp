#include "renderer/classify/recorder.h"

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

namespace {

void decode_container(const Value* map, RecorderPod& pod) {
    const Fields container(map);
    pod.image = container.text("image");
    pod.pull_policy = container.text("imagePullPolicy");
    pod.resources = container.map("resources");
    pod.container_security_context = container.map("securityContext");
    pod.env = container.env("env");
}

RecorderPod decode_pod(const Value* map) {
    const Fields fields(map);
    RecorderPod pod;
    pod.labels = fields.map("labels");
    pod.annotations = fields.map("annotations");
    pod.affinity = fields.map("affinity");
    pod.security_context = fields.map("securityContext");
    pod.image_pull_secrets = fields.list("imagePullSecrets");
    pod.node_selector = fields.map("nodeSelector");
    pod.tolerations = fields.list("tolerations");
    decode_container(fields.map("container"), pod);
    const Fields account(fields.map("serviceAccount"));
    pod.account = account.text("name");
    pod.account_pos = account.pos("name");
    pod.account_annotations = account.map("annotations");
    return pod;
}

void decode_storage(const Value* map, RecorderInput& recorder) {
    const Fields storage(map);
    const Fields s3(storage.map("s3"));
    recorder.s3 = s3.exists();
    recorder.endpoint = s3.text("endpoint");
    recorder.bucket = s3.text("bucket");
    const Fields credentials(s3.map("credentials"));
    const Fields secret(credentials.map("secret"));
    recorder.credentials = secret.text("name");
}

}  // namespace

RecorderInput decode_recorder(const Document& doc) {
    RecorderInput recorder;
    decode_metadata(doc, recorder);
    const Fields spec(doc.root.find("spec"));
    const Fields stateful_set(spec.map("statefulSet"));
    recorder.labels = stateful_set.map("labels");
    recorder.annotations = stateful_set.map("annotations");
    recorder.pod = decode_pod(stateful_set.map("pod"));
    recorder.tags = spec.texts("tags");
    recorder.ui = spec.flag("enableUI");
    decode_storage(spec.map("storage"), recorder);
    recorder.replicas_pos = spec.pos("replicas");
    recorder.replicas = spec.number("replicas").value_or(1);
    recorder.tailnet = spec.text("tailnet");
    recorder.tailnet_pos = spec.pos("tailnet");
    return recorder;
}

}  // namespace renderer
