#include "runtime/controller/secrets.h"

#include "renderer/core/base64.h"
#include "runtime/controller/contract.h"

namespace runtime {

using renderer::Value;

namespace {

Value secret(std::string_view ns, std::string_view name, std::string_view set,
             std::string_view role, const std::map<std::string, std::string>& labels) {
    Value all = Value::map();
    for (const auto& [key, text] : labels) {
        all.put(key, text);
    }
    all.put(kSecretLabel, Value(role));
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata", Value::map({{"name", name},
                                  {"namespace", ns},
                                  {"labels", std::move(all)},
                                  {"annotations", Value::map({{kSetAnnotation, Value(set)}})}})},
         {"type", "Opaque"}});
}

Value& annotations_of(Value& object) {
    return *object.find("metadata")->find("annotations");
}

}  // namespace

std::string auth_name(std::string_view pod) {
    return std::string(pod) + "-auth";
}

Value state_secret(std::string_view ns, std::string_view pod, std::string_view set,
                   std::string_view tailnet, const std::map<std::string, std::string>& labels) {
    Value object = secret(ns, pod, set, kStateSecret, labels);
    put_if(annotations_of(object), !tailnet.empty(), Value(kTailnetAnnotation), Value(tailnet));
    return object;
}

Value auth_secret(std::string_view ns, std::string_view pod, std::string_view set,
                  std::string_view version, const std::map<std::string, std::string>& labels,
                  const AuthContent& content) {
    Value object = secret(ns, auth_name(pod), set, kAuthSecret, labels);
    put_if(*object.find("metadata"), !version.empty(), "resourceVersion", Value(version));
    const std::pair<std::string_view, std::string_view> notes[] = {
        {kKeyIdAnnotation, content.key.id},           {kKeyCreatedAnnotation, content.key.created},
        {kKeyExpiresAnnotation, content.key.expires}, {kKeyTagsAnnotation, content.key_tags},
        {kRestartAnnotation, content.restart_pod},    {kDeviceAnnotation, content.device},
        {kDeviceTagsAnnotation, content.device_tags}};
    for (const auto& [key, text] : notes) {
        put_if(annotations_of(object), !text.empty(), Value(key), Value(text));
    }
    object.put("data", Value::map({{"authkey", renderer::encode_base64(content.key.key)}}));
    return object;
}

}  // namespace runtime
