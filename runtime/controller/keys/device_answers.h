// Which devices a tailnet still has: asked for those of pods that would not tell. What one tailnet
// says counts for nothing in another: a pod may name a device of someone else's. What is known
// ends with the process, and is asked for again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/controller/decide.h"
#include "runtime/controller/keys/tailnets.h"

namespace runtime::controller {

class DeviceAnswers {
public:
    // All references outlive it.
    DeviceAnswers(const Loop& loop, Tailnets& tailnets) : loop_(loop), tailnets_(tailnets) {}

    // Asks for the device.
    Job look(const std::string& tailnet, const std::string& device);
    // Someone else has asked, and the device is there.
    void put_seen(const std::string& tailnet, const std::string& device);
    [[nodiscard]] std::optional<DeviceAnswer> find(std::string_view tailnet,
                                                   std::string_view device) const;

private:
    struct Answer {
        bool is_gone = false;
        Duration at = {};  // uptime
    };

    void put(const std::string& tailnet, const std::string& device, bool is_gone);

    const Loop& loop_;
    Tailnets& tailnets_;
    std::map<std::pair<std::string, std::string>, Answer> answers_;  // by tailnet and device
};

}  // namespace runtime::controller
