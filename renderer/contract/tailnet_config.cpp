#include "renderer/contract/tailnet_config.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"
#include "renderer/core/text_of.h"

namespace renderer::inline contract {

namespace {

constexpr std::string_view kLoginUrl = "loginUrl";
constexpr std::string_view kSecretName = "secretName";

std::string without_slash(std::string_view url) {
    while (url.ends_with('/')) {
        url.remove_suffix(1);
    }
    return std::string(url);
}

}  // namespace

Value tailnet_map(std::string_view ns, std::string_view name, std::string_view login_url,
                  std::string_view secret_name) {
    Value annotations = Value::map({{kContractAnnotation, kContractVersion}});
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", Value::map({{"name", fmt::format("{}{}", kTailnetPrefix, name)},
                                                {"namespace", ns},
                                                {"annotations", std::move(annotations)}})},
                       {"data", Value::map({{kLoginUrl, login_url}, {kSecretName, secret_name}})}});
}

std::optional<TailnetConfig> decode_tailnet(const Value& object) {
    const std::string_view name = text_of(object, {"metadata", "name"});
    if (!name.starts_with(kTailnetPrefix)) {
        return std::nullopt;
    }
    return TailnetConfig{
        .name = std::string(name.substr(kTailnetPrefix.size())),
        .uid = std::string(text_of(object, {"metadata", "uid"})),
        .contract = std::string(text_of(object, {"metadata", "annotations", kContractAnnotation})),
        .login_url = without_slash(text_of(object, {"data", kLoginUrl})),
        .secret_name = std::string(text_of(object, {"data", kSecretName}))};
}

}  // namespace renderer::inline contract
