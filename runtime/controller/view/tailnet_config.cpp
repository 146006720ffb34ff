#include "runtime/controller/view/tailnet_config.h"

#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/kube/api.h"
#include "runtime/base/url.h"
#include "runtime/controller/contract.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

std::string without_slash(std::string_view url) {
    while (url.ends_with('/')) {
        url.remove_suffix(1);
    }
    return std::string(url);
}

}  // namespace

std::optional<TailnetConfig> decode_tailnet(const Value& object) {
    const std::string_view name = text_of(object.at({"metadata", "name"}));
    if (!name.starts_with(renderer::kTailnetPrefix)) {
        return std::nullopt;
    }
    TailnetConfig config;
    config.name = name.substr(renderer::kTailnetPrefix.size());
    config.uid = text_of(object.at({"metadata", "uid"}));
    config.contract = text_of(object.at({"metadata", "annotations", kContractAnnotation}));
    config.login_url = without_slash(text_of(object.at({"data", "loginUrl"})));
    config.secret_name = text_of(object.at({"data", "secretName"}));
    return config;
}

}  // namespace runtime::controller
