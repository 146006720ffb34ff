#include "renderer/plan/dataplanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/text_of.h"
#include "renderer/plan/annotations.h"

namespace renderer {

namespace {

std::string pull_policy(const Image& image) {
    if (!image.pull_policy.empty()) {
        return image.pull_policy;
    }
    return image.pinned() ? "IfNotPresent" : "Always";
}

void refuse_class_image(const ParentInput& parent, const ProxyClassPlan& chosen,
                        Diagnostics& diagnostics) {
    about(parent, diagnostics)
        .error("wrong-class-image", parent.pos(),
               fmt::format("the pods run tailrender-proxy, but the ProxyClass \"{}\" has an image "
                           "for them",
                           chosen.name))
        .found(fmt::format("\"{}\"", chosen.container.image))
        .expected("an image of tailrender-proxy by \"tailrender.proxyImage\"")
        .hint(fmt::format("remove the image from the class, or annotate the object with \"{}: "
                          "containerboot\"",
                          kDataplane))
        .note({.pos = chosen.container.image_pos,
               .object = chosen.origin.parent,
               .text = "this class sets it"});
}

}  // namespace

std::optional<Dataplane> annotated_dataplane(const ParentInput& object) {
    const std::string_view text = annotation_text(object, kDataplane);
    if (text == "native") {
        return Dataplane::Native;
    }
    return text == "containerboot" ? std::optional(Dataplane::Containerboot) : std::nullopt;
}

void check_dataplane(const ParentInput& object, Diagnostics& diagnostics) {
    const Value* wish = object.annotation(kDataplane);
    if (wish == nullptr || annotated_dataplane(object)) {
        return;
    }
    about(object, diagnostics)
        .error("unknown-choice", wish->pos(),
               fmt::format("invalid value of annotation \"{}\"", kDataplane))
        .found(fmt::format("\"{}\"", text_of(wish)))
        .expected("one of { containerboot, native }")
        .hint(did_you_mean(nearest(text_of(wish), {"containerboot", "native"})));
}

void run_native(const Settings& settings, Workload& workload) {
    workload.dataplane = Dataplane::Native;
    workload.image = settings.native_image.reference();
    workload.pull_policy = pull_policy(settings.native_image);
}

void choose_dataplane(const ParentInput& parent, const Settings& settings, Workload& workload,
                      Diagnostics& diagnostics) {
    check_dataplane(parent, diagnostics);
    const ProxyClassPlan* chosen = workload.proxy_class;
    std::optional<Dataplane> wish = annotated_dataplane(parent);
    if (!wish && chosen != nullptr) {
        wish = chosen->dataplane;
    }
    if (wish.value_or(settings.dataplane) == Dataplane::Containerboot) {
        return;
    }
    run_native(settings, workload);
    if (chosen != nullptr && !chosen->container.image.empty()) {
        refuse_class_image(parent, *chosen, diagnostics);
    }
}

void refuse_native(const ParentInput& parent, std::string_view pods, Diagnostics& diagnostics) {
    check_dataplane(parent, diagnostics);
    if (annotated_dataplane(parent) == Dataplane::Native) {
        about(parent, diagnostics)
            .error("not-supported", parent.annotation(kDataplane)->pos(),
                   fmt::format("{} cannot run tailrender-proxy", pods))
            .found("\"native\"")
            .hint(fmt::format("remove the annotation \"{}\"", kDataplane));
    }
}

void check_stock_image(const Plan& plan, Diagnostics& diagnostics) {
    const Settings& settings = plan.settings;
    const Image& image = settings.proxy_image;
    const bool is_used = std::ranges::any_of(plan.workloads, [](const Workload& one) {
        return one.dataplane == Dataplane::Containerboot &&
               (one.as<ProxyPlan>() != nullptr || one.as<ProxyGroupPlan>() != nullptr ||
                one.as<PeerRelayPlan>() != nullptr);
    });
    const bool is_default =
        (image.repository == kStockRepository || image.repository == kStockRepositoryInFull) &&
        image.tag == settings.release.tag && image.digest.empty();
    if (settings.dataplane == Dataplane::Containerboot || is_default || is_used) {
        return;
    }
    diagnostics
        .error("image-without-effect", image.pos,
               "\"proxyConfig.image\" is not what proxies run with \"tailrender.dataplane: "
               "native\"")
        .where(image.pos.known() ? "" : "PROXY_IMAGE")
        .found(fmt::format("\"{}\"", image.reference()))
        .expected(
            fmt::format("none, or the default \"{}:{}\"", kStockRepository, settings.release.tag))
        .hint("set \"tailrender.proxyImage\" to an image of tailrender-proxy instead");
}

}  // namespace renderer
