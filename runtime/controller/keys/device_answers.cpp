#include "runtime/controller/keys/device_answers.h"

namespace runtime::controller {

Job DeviceAnswers::look(const std::string& tailnet, const std::string& device) {
    return tailnets_.job(tailnet, [this, tailnet, device](tailnet::Api& api, const Next& next) {
        api.get_device(device, [this, tailnet, device, next](const tailnet::Reply& reply) {
            const std::string problem = unless_gone(reply);
            if (problem.empty()) {
                put(tailnet, device, reply.not_found());
            }
            next(problem.empty() ? problem : "cannot look up the device: " + problem);
        });
    });
}

void DeviceAnswers::put_seen(const std::string& tailnet, const std::string& device) {
    put(tailnet, device, false);
}

void DeviceAnswers::put(const std::string& tailnet, const std::string& device, bool is_gone) {
    std::erase_if(answers_, [this](const auto& answer) {
        return loop_.uptime() - answer.second.at >= kAnswerOfReadyLasts;
    });
    answers_[{tailnet, device}] = {.is_gone = is_gone, .at = loop_.uptime()};
}

std::optional<DeviceAnswer> DeviceAnswers::find(std::string_view tailnet,
                                                std::string_view device) const {
    const auto answer = answers_.find({std::string(tailnet), std::string(device)});
    return answer == answers_.end()
               ? std::nullopt
               : std::optional(DeviceAnswer{.is_gone = answer->second.is_gone,
                                            .age = loop_.uptime() - answer->second.at});
}

}  // namespace runtime::controller
