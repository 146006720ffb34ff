#include "runtime/operate/cleanup/device_proofs.h"

#include <fmt/format.h>

#include <utility>

namespace runtime::operate {

std::string problem_of(const tailnet::Reply& reply, std::string_view what) {
    return reply.ok() || reply.not_found() ? std::string()
                                           : fmt::format("{}: {}", what, reply.message);
}

void DeviceProofs::prove(controller::Tailnets& tailnets, Belongings& ours, Next next) {
    devices_.clear();
    left_.clear();
    std::vector<Job> jobs;
    jobs.reserve(ours.named.size());
    for (const NamedDevice& named : ours.named) {
        jobs.push_back(proof(tailnets, ours, named));
    }
    run_in_order(std::move(jobs), std::move(next));
}

Job DeviceProofs::proof(controller::Tailnets& tailnets, Belongings& ours,
                        const NamedDevice& named) {
    const Job look = tailnets.job(named.claim.tailnet, [this, &ours, named](tailnet::Api& api,
                                                                            const Next& next) {
        api.get_device(named.claim.device, [this, &ours, named, next](const tailnet::Reply& reply) {
            if (!reply.ok()) {
                return next(
                    problem_of(reply, fmt::format("cannot read device {}", named.claim.device)));
            }
            const controller::TailnetDevice device = controller::decode_tailnet_device(reply.body);
            const std::string objection =
                named.is_noted ? std::string()
                               : controller::prove(named.claim, device, "").objection;
            const TailnetId key{named.claim.tailnet, named.claim.device};
            if (objection.empty()) {
                devices_[key] = {device.name, named.claim.parent};
                ours.served.places.insert(device.name);
                ours.served.places.insert(device.addresses.begin(), device.addresses.end());
            } else {
                left_[key] = fmt::format("device {} ({}), which Secret {} names: {}", device.name,
                                         key.id, named.claim.pod, objection);
            }
            next({});
        });
    });
    const Job unknown = [](const Next& next) { next(std::string(controller::kUnknownTailnet)); };
    // A false claim of a pod does not stop the cleanup.
    return [this, named, ask = named.claim.is_tailnet_noted ? look : unknown](const Next& next) {
        ask([this, named, next](const std::string& problem) {
            if (named.is_noted || problem.empty()) {
                return next(problem);
            }
            left_[{named.claim.tailnet, named.claim.device}] =
                fmt::format("device {}, which Secret {} names: {}", named.claim.device,
                            named.claim.pod, problem);
            next({});
        });
    };
}

void DeviceProofs::tell_left(const OperateContext& context) {
    for (const auto& [device, why] : left_) {
        if (!devices_.contains(device) && told_left_.insert(device).second) {
            context.say("leaves " + why);
        }
    }
}

std::string DeviceProofs::describe(const TailnetId& device) const {
    const Known& known = devices_.at(device);
    return fmt::format("device {} ({}{}{})", known.name, device.id,
                       known.parent.empty() ? "" : ", ", known.parent);
}

}  // namespace runtime::operate
