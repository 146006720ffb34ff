// Which of the devices that Secrets name are the controller's, as the tailnet shows them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/jobs.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/operate/cleanup/belongings.h"

namespace runtime::operate {

// Returns "" if the request succeeded or its object does not exist, else a message about `what`.
std::string problem_of(const tailnet::Reply& reply, std::string_view what);

class DeviceProofs {
public:
    // Asks the tailnets for the devices that `ours` names, and adds their names and addresses to
    // `ours.served`. All references outlive the jobs.
    void prove(controller::Tailnets& tailnets, Belongings& ours, Next next);
    // Prints which devices stay, each once. A device that one replica wrongly claims may be another
    // one's own.
    void tell_left(const OperateContext& context);
    // Returns how a device is shown to people: its name, id and parent.
    [[nodiscard]] std::string describe(const TailnetId& device) const;

    struct Known {  // what is shown of a device
        std::string name, parent;
    };
    [[nodiscard]] const std::map<TailnetId, Known>& devices() const { return devices_; }

private:
    Job proof(controller::Tailnets& tailnets, Belongings& ours, const NamedDevice& named);

    std::map<TailnetId, Known> devices_;
    std::map<TailnetId, std::string> left_;  // devices that stay, and why
    std::set<TailnetId> told_left_;
};

}  // namespace runtime::operate
