// Which devices a tailnet still has: it is asked for the devices of pods that do not report that.
// Answers of one tailnet do not count in another, because a pod may name another user's device. The
// answers are kept in memory, and asked for again after a restart.
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

    // Asks the tailnet for the device.
    Job look(const std::string& tailnet, const std::string& device);
    // Records that the device exists, after another request has shown it.
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
