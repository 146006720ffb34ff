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

HookReaders hook_readers(const AppliedUnit& unit, const Bundle& bundle, bool is_chart) {
    const bool is_of_helm = is_chart || bundle.pos.known();
    if (!is_of_helm && (unit.name.empty() || unit.is_included)) {
        return {};
    }
    return {.helm = is_of_helm || unit.is_argo, .argo = unit.is_argo, .are_known = true};
}

bool is_skipped(const Value& object) {
    return spelling_of(argo_hook(object)) == "Skip";
}

bool is_hook(const Value& object, HookReaders readers) {
    if (readers.helm && object.at({"metadata", "annotations", "helm.sh/hook"}) != nullptr) {
        return true;
    }
    const std::string_view kind = text_of(object, {"kind"});
    return readers.argo && argo_hook(object) != nullptr &&
           (kind == "Service" || kind == "Ingress" || is_skipped(object));
}

}  // namespace renderer::engines
