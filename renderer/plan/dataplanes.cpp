#include "renderer/plan/dataplanes.h"

#include <fmt/format.h>

#include <array>

#include "renderer/contract/environment.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/image_reference.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/settings/settings_decoder.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::plan {

namespace {

std::string pull_policy(const Image& image) {
    if (!image.pull_policy.empty()) {
        return image.pull_policy;
    }
    return image.pinned() ? "IfNotPresent" : "Always";
}

std::string_view without_registry(std::string_view image) {
    for (const std::string_view registry : {"docker.io/", "index.docker.io/"}) {
        if (image.starts_with(registry)) {
            return image.substr(registry.size());
        }
    }
    return image;
}

// Returns the image in a normalized spelling.
std::string plain(std::string_view image) {
    const std::string_view short_name = without_registry(image);
    const std::string_view last = short_name.substr(short_name.rfind('/') + 1);
    const bool has_version = last.find_first_of(":@") != std::string_view::npos;
    return fmt::format("{}{}", short_name, has_version ? "" : ":latest");
}

// True for the image of the settings, and for any that is called like it.
bool is_own_image(std::string_view image, const Settings& settings) {
    const std::string name = plain(image);
    const std::string_view last = std::string_view(name).substr(name.rfind('/') + 1);
    return last.substr(0, last.find_first_of(":@")) == kOwnImageName ||
           (settings.native_image.is_named() && name == plain(settings.native_image.reference()));
}

// True for an image that the release's pods run by default.
bool is_release_image(std::string_view reference, std::string_view repository,
                      const Release& release) {
    return plain(reference) == fmt::format("{}:{}", repository, release.tag);
}

bool is_other_image(const ProxyClassPlan& one, const Release& release) {
    const std::string& image = one.container.image;
    return !image.empty() && parse_image_reference(image).error.empty() &&
           !is_release_image(image, kStockRepository, release) &&
           !is_release_image(image, kK8sProxyRepository, release);
}

// The user that a class sets for tailscaled in the pods of a group of type kube-apiserver.
struct ClassUser {
    Pos pos;
    std::string found;  // "": tailscaled keeps a separate user
};

// The container's securityContext replaces the default one as a whole. The user is in it, or else
// in the pod's; the default of the image is root.
ClassUser user_by(const ProxyClassPlan& one) {
    constexpr std::string_view kContext = "securityContext", kUser = "runAsUser";
    const Member* context = one.container.fields.find_member(kContext);
    if (context == nullptr) {
        return {};
    }
    const Value* of_pod = one.pod_spec.at({kContext, kUser});
    const Value* user = context->value.find(kUser);
    user = user == nullptr ? of_pod : user;
    if (user == nullptr) {
        return {context->key.pos(), "no runAsUser, and the image's default user is root"};
    }
    const std::optional<std::int64_t> number = user->as_int();
    if (number && number != 0 && number != kApiUser) {
        return {};
    }
    const std::string_view spelled = spelling_of(user);
    return {user->pos(), std::string(spelled.empty() ? kind_name(*user) : spelled)};
}

template <typename Concerned>
std::vector<Note> users_of(const Plan& plan, const ProxyClassPlan& one, Concerned is_concerned) {
    std::vector<Note> users;
    for (const Workload& user : plan.workloads) {
        if (user.proxy_class == &one && is_concerned(user)) {
            users.push_back(user_of(user));
        }
    }
    return users;
}

bool serves_api_natively(const Workload& one) {
    return is_api_group(one) && !runs_k8s_proxy(one);
}

// With these variables tailscaled connects to any port of the pod, as its own user, for every
// client of its listener.
constexpr std::array<std::string_view, 3> kListeners = {
    variable::kSocks5Server, variable::kHttpProxy, variable::kDaemonArgs};

constexpr std::string_view kK8sProxyExample =
    "an image such as \"registry.example.com/k8s-proxy:v1.104.5\"";

// Sets the image as what was found, without its password.
Finding with_image(Finding finding, std::string_view image) {
    const bool has_password = !secrets::find_userinfo(image).empty();
    return finding
        .found(has_password ? std::string(secrets::kHiddenPassword) : fmt::format("\"{}\"", image))
        .hide_text(has_password);
}

void report_malformed(const Settings& settings, std::vector<Note> users, Diagnostics& diagnostics) {
    const std::string& image = settings.k8s_proxy_image;
    const Pos pos = settings.k8s_proxy_image_pos;
    if (image.find("$(") != std::string::npos) {
        with_image(diagnostics.error("unknown-offline", pos,
                                     "the value of \"K8S_PROXY_IMAGE\" is only known in the "
                                     "cluster, in the operator's pod"),
                   image)
            .expected(kK8sProxyExample)
            .hint("write what stands for \"$(…)\"")
            .notes(std::move(users));
        return;
    }
    report_unusable("K8S_PROXY_IMAGE", pos, image, kK8sProxyExample, diagnostics)
        .notes(std::move(users));
}

}  // namespace

Note user_of(const Workload& workload) {
    const std::string_view program = workload.dataplane == Dataplane::Native ? kOwnImageName
                                     : is_api_group(workload)                ? "k8s-proxy"
                                                                             : "containerboot";
    return {.pos = workload.origin.pos,
            .object = workload.origin.parent,
            .text = fmt::format("its pods run {}", program)};
}

const ClassEnv* class_variable(const ProxyClassPlan* chosen, std::string_view name) {
    if (chosen == nullptr) {
        return nullptr;
    }
    const ClassEnv* found = nullptr;
    for (const ClassEnv& entry : chosen->container.env) {
        if (entry.name == name) {
            found = &entry;
        }
    }
    return found;
}

std::optional<Dataplane> annotated_dataplane(const classify::ParentInput& object) {
    const std::string_view text = annotation_text(object, kDataplane);
    if (text == "native") {
        return Dataplane::Native;
    }
    return text == "containerboot" ? std::optional(Dataplane::Containerboot) : std::nullopt;
}

void check_dataplane(const classify::ParentInput& object, Diagnostics& diagnostics) {
    const Value* wanted = object.annotation(kDataplane);
    if (wanted == nullptr || annotated_dataplane(object)) {
        return;
    }
    classify::about(object, diagnostics)
        .error("unknown-choice", wanted->pos(),
               fmt::format("invalid value of annotation \"{}\"", kDataplane))
        .found(fmt::format("\"{}\"", text_of(wanted)))
        .expected("one of { containerboot, native }")
        .hint(did_you_mean(nearest(text_of(wanted), {"containerboot", "native"})));
}

DataplaneChoice requested_dataplane(const classify::ParentInput& parent,
                                    const ProxyClassPlan* chosen, const Settings& settings) {
    if (const std::optional<Dataplane> own = annotated_dataplane(parent)) {
        return {*own, parent.annotation(kDataplane)->pos()};
    }
    if (chosen != nullptr && chosen->dataplane) {
        return {*chosen->dataplane, chosen->dataplane_pos};
    }
    return {settings.dataplane, settings.dataplane_pos};
}

void run_native(const Settings& settings, Workload& workload) {
    workload.dataplane = Dataplane::Native;
    workload.image = settings.native_image.reference();
    workload.pull_policy = pull_policy(settings.native_image);
}

void choose_dataplane(const classify::ParentInput& parent, const Settings& settings,
                      Workload& workload, Diagnostics& diagnostics) {
    check_dataplane(parent, diagnostics);
    const DataplaneChoice wanted = requested_dataplane(parent, workload.proxy_class, settings);
    workload.dataplane_pos = wanted.pos;
    if (wanted.dataplane == Dataplane::Native) {
        run_native(settings, workload);
    }
}

void refuse_native(const classify::ParentInput& parent, std::string_view pods,
                   Diagnostics& diagnostics) {
    check_dataplane(parent, diagnostics);
    if (annotated_dataplane(parent) == Dataplane::Native) {
        classify::about(parent, diagnostics)
            .error("not-supported", parent.annotation(kDataplane)->pos(),
                   fmt::format("{} cannot run tailrender-proxy", pods))
            .found("\"native\"")
            .hint(fmt::format("remove the annotation \"{}\"", kDataplane));
    }
}

void check_class_images(const Plan& plan, Diagnostics& diagnostics) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const std::string& image = one.container.image;
        const bool is_ours = is_own_image(image, plan.settings);
        if (!is_ours && !is_other_image(one, plan.settings.release)) {
            continue;
        }
        std::vector<Note> users = users_of(plan, one, [is_ours](const Workload& user) {
            return (user.dataplane == Dataplane::Native) != is_ours;
        });
        if (users.empty()) {
            continue;
        }
        about(one.origin, diagnostics)
            .error("wrong-class-image", one.container.image_pos,
                   is_ours
                       ? "this class has the image of tailrender-proxy for pods that do not run it"
                       : "this class replaces the image of pods that run tailrender-proxy")
            .found(fmt::format("\"{}\"", image))
            .expected(is_ours ? "none, or an image of Tailscale's" : "none")
            .hint(is_ours
                      ? fmt::format("remove it, or annotate the class or the object with \"{}: "
                                    "native\" to run tailrender-proxy",
                                    kDataplane)
                      : fmt::format("set \"tailrender.proxyImage\" to an image of "
                                    "tailrender-proxy, or annotate the class or the object with "
                                    "\"{}: containerboot\" to run an image of Tailscale's",
                                    kDataplane))
            .notes(std::move(users));
    }
}

void check_class_users(const Plan& plan, Diagnostics& diagnostics) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const ClassUser by_class = user_by(one);
        std::vector<Note> users = users_of(plan, one, serves_api_natively);
        if (users.empty() || by_class.found.empty()) {
            continue;
        }
        about(one.origin, diagnostics)
            .error("wrong-class-user", by_class.pos,
                   "tailscaled needs a user of its own in pods that serve the Kubernetes API")
            .found(by_class.found)
            .expected(fmt::format("a runAsUser other than 0 and {}", kApiUser))
            .hint(
                fmt::format("give the group a class of its own, with \"runAsUser: {}\" or without "
                            "the container's securityContext; or annotate the group with "
                            "\"{}: containerboot\"",
                            kNobody, kDataplane))
            .notes(std::move(users));
    }
}

void check_class_env(const Plan& plan, Diagnostics& diagnostics) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const std::vector<Note> users = users_of(plan, one, serves_api_natively);
        for (const std::string_view name : kListeners) {
            const ClassEnv* entry = class_variable(&one, name);
            if (users.empty() || entry == nullptr || entry->value.empty()) {
                continue;
            }
            about(one.origin, diagnostics)
                .error("wrong-class-env", entry->pos,
                       "with this variable, others could connect as tailscaled in pods that serve "
                       "the Kubernetes API, and claim any identity")
                .found(fmt::format("{}={}", name, entry->value))
                .expected(fmt::format("no \"{}\"", name))
                .hint(fmt::format("remove it, give the group a class of its own, or annotate the "
                                  "group with \"{}: containerboot\"",
                                  kDataplane))
                .notes(users);
        }
    }
}

void check_k8s_proxy_image(const Plan& plan, Diagnostics& diagnostics) {
    const std::string& image = plan.settings.k8s_proxy_image;
    std::vector<Note> users;
    for (const Workload& one : plan.workloads) {
        const bool is_of_class =
            one.proxy_class != nullptr && !one.proxy_class->container.image.empty();
        if (runs_k8s_proxy(one) && !is_of_class) {
            users.push_back(user_of(one));
        }
    }
    if (!image.empty() && !users.empty() && !parse_image_reference(image).error.empty()) {
        report_malformed(plan.settings, std::move(users), diagnostics);
    }
}

}  // namespace renderer::plan
