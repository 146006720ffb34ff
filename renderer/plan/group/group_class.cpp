#include "renderer/plan/group/group_class.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/environment.h"
#include "renderer/kube/image_reference.h"
#include "renderer/plan/class/proxy_classes.h"
#include "renderer/plan/dataplanes.h"

namespace renderer::plan {

namespace {

bool sets_local_port(const ProxyClassPlan& chosen) {
    return std::ranges::find(chosen.container.env, variable::kLocalAddress, &ClassEnv::name) !=
           chosen.container.env.end();
}

Note class_note(const ProxyClassPlan& chosen, Pos pos) {
    return {.pos = pos, .object = chosen.origin.parent, .text = "this class sets it"};
}

Pos place_of(const ProxyGroupInput& group) {
    return group.proxy_class.text.empty() ? group.pos() : group.proxy_class.pos;
}

// Refuses the image of another program: the stock program of type kube-apiserver is k8s-proxy. For
// groups that run tailrender-proxy, images of classes are checked in check_class_images.
void check_image(const ProxyGroupInput& group, const ProxyClassPlan& chosen,
                 Diagnostics& diagnostics) {
    if (chosen.container.image.empty()) {
        return;
    }
    const bool api = group.type == GroupType::KubeApiServer;
    const std::string_view wrong = api ? "tailscale" : "k8s-proxy";
    if (!parse_image_reference(chosen.container.image).path.ends_with(wrong)) {
        return;
    }
    classify::about(group, diagnostics)
        .error("wrong-class-image", place_of(group),
               fmt::format("the image of ProxyClass \"{}\" does not fit this group", chosen.name))
        .found(fmt::format("\"{}\"", chosen.container.image))
        .expected(api ? "a k8s-proxy image for a group of type kube-apiserver"
                      : "a tailscale image for a group of type egress or ingress")
        .note(class_note(chosen, chosen.container.image_pos));
}

void check_init_container(const ProxyGroupInput& group, const ProxyClassPlan& chosen,
                          Diagnostics& diagnostics) {
    if (group.type != GroupType::KubeApiServer || !chosen.init_container.exists) {
        return;
    }
    classify::about(group, diagnostics)
        .error("class-init-container", place_of(group),
               fmt::format("the ProxyClass \"{}\" has an init container, but "
                           "groups of type kube-apiserver do not",
                           chosen.name))
        .hint("use a class without \"tailscaleInitContainer\" for the group")
        .note(class_note(chosen, chosen.init_container.pos));
}

void warn_about_local_port(const ProxyGroupInput& group, const ProxyClassPlan& chosen,
                           Diagnostics& diagnostics) {
    if (group.type != GroupType::Egress || !sets_local_port(chosen)) {
        return;
    }
    classify::about(group, diagnostics)
        .warning("no-graceful-failover", place_of(group),
                 fmt::format("the ProxyClass \"{}\" sets {}: pods of this group stop without "
                             "waiting for their connections",
                             chosen.name, variable::kLocalAddress))
        .hint("remove the variable from the class")
        .note(class_note(chosen, chosen.container.pos));
}

}  // namespace

const ProxyClassPlan* group_class(const ProxyGroupInput& group, const ProxyInputs& inputs,
                                  Diagnostics& diagnostics) {
    const ProxyClassPlan* chosen = inputs.classes.named_or_default(
        group, {group.proxy_class.text, group.proxy_class.pos}, diagnostics);
    if (chosen != nullptr) {
        if (requested_dataplane(group, chosen, inputs.settings).dataplane ==
            Dataplane::Containerboot) {
            check_image(group, *chosen, diagnostics);
        }
        check_init_container(group, *chosen, diagnostics);
        warn_about_local_port(group, *chosen, diagnostics);
    }
    return chosen;
}

bool moves_local_port(const Workload& group) {
    return group.proxy_class != nullptr && sets_local_port(*group.proxy_class);
}

}  // namespace renderer::plan
