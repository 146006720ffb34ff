#include "runtime/controller/keys/secrets.h"

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "runtime/base/json_patch.h"
#include "runtime/controller/view/api_proxy_config.h"

namespace runtime::controller {

using renderer::Value;

namespace {

Value secret(std::string_view ns, std::string_view name, std::string_view set,
             std::string_view role, std::string_view labels) {
    Value all = Value::map();
    for (const std::string& label : split_list(labels)) {
        const std::size_t end = label.find('=');
        all.put(Value(label.substr(0, end)), Value(label.substr(end + 1)));
    }
    all.put(renderer::kSecretLabel, Value(role));
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata",
          Value::map({{"name", name},
                      {"namespace", ns},
                      {"labels", std::move(all)},
                      {"annotations", Value::map({{renderer::kSetAnnotation, Value(set)}})}})},
         {"type", "Opaque"}});
}

Value& annotations_of(Value& object) {
    return *object.find("metadata")->find("annotations");
}

}  // namespace

std::string auth_name(std::string_view pod, bool is_api_proxy) {
    return is_api_proxy ? renderer::config_secret_name(pod) : renderer::auth_secret_name(pod);
}

AuthContent without_key(const AuthSecret& auth) {
    AuthContent content;
    content.restart_pod = auth.restart_pod;
    content.device = auth.device;
    content.device_tags = auth.device_tags;
    content.device_named = auth.device_named;
    content.device_gone = auth.device_gone;
    content.device_name = auth.device_name;
    content.device_addresses = auth.device_addresses;
    content.device_words = auth.device_words;
    return content;
}

Value state_secret(std::string_view ns, std::string_view pod, std::string_view set,
                   std::string_view tailnet, std::string_view labels) {
    Value object = secret(ns, pod, set, renderer::kStateSecret, labels);
    put_if(annotations_of(object), !tailnet.empty(), Value(renderer::kTailnetAnnotation),
           Value(tailnet));
    return object;
}

Value auth_secret(std::string_view ns, std::string_view pod, std::string_view set,
                  std::string_view version, std::string_view labels, const AuthContent& content) {
    const bool is_api_proxy = !content.config.empty();
    Value object = secret(ns, auth_name(pod, is_api_proxy), set, renderer::kAuthSecret, labels);
    put_if(*object.find("metadata"), !version.empty(), "resourceVersion", Value(version));
    const std::pair<std::string_view, std::string_view> notes[] = {
        {renderer::kKeyIdAnnotation, content.key.id},
        {renderer::kKeyCreatedAnnotation, content.key.created},
        {renderer::kKeyExpiresAnnotation, content.key.expires},
        {renderer::kKeyTagsAnnotation, content.key_tags},
        {renderer::kRestartAnnotation, content.restart_pod},
        {renderer::kDeviceAnnotation, content.device},
        {renderer::kDeviceTagsAnnotation, content.device_tags},
        {renderer::kTagsBeforeAnnotation, content.tags_before},
        {renderer::kDeviceNamedAnnotation, content.device_named},
        {renderer::kDeviceGoneAnnotation, content.device_gone},
        {renderer::kDeviceNameAnnotation, content.device_name},
        {renderer::kDeviceAddressesAnnotation, content.device_addresses},
        {renderer::kDeviceWordsAnnotation, content.device_words},
        {renderer::kTailnetAnnotation, content.tailnet},
        {renderer::kHostnameAnnotation, content.hostname}};
    for (const auto& [key, text] : notes) {
        put_if(annotations_of(object), !text.empty(), Value(key), Value(text));
    }
    Value data = Value::map();
    data.add(Value(is_api_proxy ? renderer::kConfigDatum : renderer::kAuthDatum),
             renderer::encode_base64(is_api_proxy ? complete_config(content.config, content.key.key)
                                                  : content.key.key));
    object.put("data", std::move(data));
    return object;
}

Value noting(std::initializer_list<AuthNote> notes) {
    Value operations = Value::list();
    for (const auto& [key, text] : notes) {
        operations.append(operation("add", "/metadata/annotations/" + pointer(key), Value(text)));
    }
    return operations;
}

}  // namespace runtime::controller
