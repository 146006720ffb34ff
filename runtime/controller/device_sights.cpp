#include "runtime/controller/device_sights.h"

namespace runtime {

Job DeviceSights::look(const std::string& tailnet, const std::string& device) {
    return tailnets_.job(tailnet, [this, tailnet, device](TailnetApi& api, const Next& next) {
        api.get_device(device, [this, tailnet, device, next](const TailnetReply& reply) {
            const std::string problem = unless_gone(reply);
            if (problem.empty()) {
                std::erase_if(answers_, [this](const auto& answer) {
                    return loop_.uptime() - answer.second.at >= kSightLasts;
                });
                answers_[{tailnet, device}] = {.is_gone = reply.not_found(), .at = loop_.uptime()};
            }
            next(problem.empty() ? problem : "cannot look for the device: " + problem);
        });
    });
}

std::optional<Sight> DeviceSights::find(std::string_view tailnet, std::string_view device) const {
    const auto answer = answers_.find({std::string(tailnet), std::string(device)});
    return answer == answers_.end()
               ? std::nullopt
               : std::optional(Sight{.is_gone = answer->second.is_gone,
                                     .age = loop_.uptime() - answer->second.at});
}

}  // namespace runtime
