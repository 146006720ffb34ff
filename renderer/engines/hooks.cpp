#include "renderer/engines/hooks.h"

#include "renderer/core/text_of.h"

namespace renderer::engines {

namespace {

const Value* argo_hook(const Value& object) {
    return object.at({"metadata", "annotations", "argocd.argoproj.io/hook"});
}

}  // namespace

bool is_local_config(const Value& object) {
    const Value* mark = object.at({"metadata", "annotations", kLocalAnnotation});
    return mark != nullptr && spelling_of(mark) != "false";
}

bool is_skipped(const Value& object) {
    return spelling_of(argo_hook(object)) == "Skip";
}

bool is_hook(const Value& object) {
    if (object.at({"metadata", "annotations", "helm.sh/hook"}) != nullptr || is_skipped(object)) {
        return true;
    }
    const std::string_view kind = text_of(object, {"kind"});
    return argo_hook(object) != nullptr && (kind == "Service" || kind == "Ingress");
}

}  // namespace renderer::engines
