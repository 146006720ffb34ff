#include "runtime/controller/recorder_devices.h"

#include "renderer/core/text_of.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kRetry = std::chrono::minutes(1);

}  // namespace

bool RecorderDevices::describe(const StateSecret& state, Device& device) {
    Answer& answer = answers_[std::string(state.device())];
    if (answer.is_there) {
        device.hostname = answer.hostname;
        device.addresses = answer.addresses;
        return true;
    }
    ask(state, answer);
    return false;
}

void RecorderDevices::ask(const StateSecret& state, Answer& answer) {
    if (answer.busy || context_.loop.uptime() < answer.not_before) {
        return;
    }
    std::string problem;
    TailnetApi* api = context_.tailnets.find(state.tailnet, problem);
    if (api == nullptr) {
        return;
    }
    answer.busy = true;
    const std::string id(state.device());
    api->get_device(id, [this, id](const TailnetReply& reply) {
        Answer& its = answers_[id];
        its.busy = false;
        its.is_there = reply.ok();
        its.not_before = context_.loop.uptime() + kRetry;
        if (!reply.ok()) {
            context_.log.warning("cannot ask for a recorder's device",
                                 {{"device", id}, {"cause", reply.message}});
            return;
        }
        its.hostname = text_of(reply.body.find("hostname"));
        const Value* addresses = reply.body.find("addresses");
        if (addresses != nullptr && addresses->is_list()) {
            for (const Value& address : addresses->items()) {
                its.addresses.emplace_back(text_of(address));
            }
        }
        context_.view.changed();
    });
}

}  // namespace runtime
