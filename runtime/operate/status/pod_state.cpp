#include "runtime/operate/status/pod_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "renderer/core/text_of.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

// Reasons for which the name of the image tells more than the message.
constexpr std::array<std::string_view, 6> kImageReasons = {
    "ErrImagePull",      "ImagePullBackOff",  "InvalidImageName",
    "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable"};

bool is_on_its_way(std::string_view reason) {
    return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

// Returns the statuses of the containers in the order in which they start.
std::vector<const Value*> containers_of(const Value& pod) {
    std::vector<const Value*> out;
    for (const std::string_view key : {"initContainerStatuses", "containerStatuses"}) {
        const Value* statuses = pod.at({"status", key});
        if (statuses != nullptr && statuses->is_list()) {
            for (const Value& status : statuses->items()) {
                out.push_back(&status);
            }
        }
    }
    return out;
}

// Returns "OOMKilled, exit code 137"; omits Kubernetes' reason "Error".
std::string describe_end(const Value& terminated) {
    const std::string_view reason = text_of(terminated.find("reason"));
    const Value* code = terminated.find("exitCode");
    return fmt::format("{}{}exit code {}", reason == "Error" ? "" : reason,
                       reason.empty() || reason == "Error" ? "" : ", ",
                       code == nullptr ? 0 : code->as_int().value_or(0));
}

std::string trouble_of(const Value& container) {
    const std::string_view name = text_of(container.find("name"));
    if (const Value* waiting = container.at({"state", "waiting"}); waiting != nullptr) {
        const std::string_view reason = text_of(waiting->find("reason"));
        const Value* last = container.at({"lastState", "terminated"});
        if (is_on_its_way(reason)) {
            return {};
        }
        if (std::find(kImageReasons.begin(), kImageReasons.end(), reason) != kImageReasons.end()) {
            return fmt::format("{} {}", reason, text_of(container.find("image")));
        }
        const std::string why = last != nullptr ? describe_end(*last)
                                                : first_sentence(text_of(waiting->find("message")));
        return fmt::format("{} of container \"{}\"{}{}", reason, name, why.empty() ? "" : ": ",
                           why);
    }
    const Value* ended = container.at({"state", "terminated"});
    const Value* code = ended == nullptr ? nullptr : ended->find("exitCode");
    return code == nullptr || code->as_int() == 0
               ? std::string()
               : fmt::format("container \"{}\" has terminated: {}", name, describe_end(*ended));
}

// Returns why the pod cannot be scheduled, or "".
std::string scheduling_trouble(const Value& pod) {
    const Value* conditions = pod.at({"status", "conditions"});
    if (conditions == nullptr || !conditions->is_list()) {
        return {};
    }
    for (const Value& condition : conditions->items()) {
        if (text_of(condition.find("type")) == "PodScheduled" &&
            text_of(condition.find("status")) == "False") {
            return fmt::format("{}: {}", text_of(condition.find("reason")),
                               first_sentence(text_of(condition.find("message"))));
        }
    }
    return {};
}

}  // namespace

std::string first_sentence(std::string_view text) {
    text = text.substr(0, std::min(text.find('\n'), text.find(". ")));
    text.remove_suffix(text.ends_with('.') ? 1 : 0);
    return std::string(text);
}

std::string pod_trouble(const Value& pod) {
    if (pod.at({"metadata", "deletionTimestamp"}) != nullptr) {
        return {};
    }
    if (text_of(pod.at({"status", "phase"})) == "Failed") {
        const std::string_view reason = text_of(pod.at({"status", "reason"}));
        const std::string why = first_sentence(text_of(pod.at({"status", "message"})));
        return fmt::format("{}{}{}", reason.empty() ? "Failed" : reason, why.empty() ? "" : ": ",
                           why);
    }
    std::string trouble = scheduling_trouble(pod);
    for (const Value* container : containers_of(pod)) {
        trouble = trouble.empty() ? trouble_of(*container) : trouble;
    }
    return trouble;
}

std::string pod_progress(const Value& pod) {
    for (const Value* container : containers_of(pod)) {
        if (const Value* waiting = container->at({"state", "waiting"}); waiting != nullptr) {
            return std::string(text_of(waiting->find("reason")));
        }
    }
    const std::string_view phase = text_of(pod.at({"status", "phase"}));
    return phase == "Running" ? std::string() : std::string(phase.empty() ? "Pending" : phase);
}

}  // namespace runtime::operate
