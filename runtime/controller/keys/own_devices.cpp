#include "runtime/controller/keys/own_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

namespace {

using renderer::lower_case;

// Returns the list that has exactly these tags, or "".
std::string_view list_with(std::string_view lists, const std::vector<std::string>& tags) {
    while (!lists.empty()) {
        const std::string_view list = lists.substr(0, lists.find(';'));
        std::vector<std::string> wanted = split_list(list);
        std::ranges::sort(wanted);
        if (!list.empty() && wanted == tags) {
            return list;
        }
        lists.remove_prefix(std::min(list.size() + 1, lists.size()));
    }
    return {};
}

std::string device_name(const TailnetDevice& device) {
    return device.name.empty() ? std::string() : fmt::format(" ({})", device.name);
}

std::string used_by(std::string_view user) {
    return fmt::format("Secret \"{}\" also names it", user);
}

}  // namespace

void add_tags(std::string& lists, std::string_view tags) {
    if (!tags.empty() && (";" + lists + ";").find(fmt::format(";{};", tags)) == std::string::npos) {
        lists.append(lists.empty() ? "" : ";").append(tags);
    }
}

std::string possible_tags(const AuthSecret& auth, std::string_view wanted) {
    const bool has_key = !auth.key_tags.empty();
    std::string lists;
    add_tags(lists, has_key ? auth.key_tags.view() : wanted);
    add_tags(lists, has_key ? auth.tags_before.view() : auth.device_tags.view());
    return lists;
}

Proof prove(const DeviceClaim& claim, const TailnetDevice& device, std::string_view owner) {
    if (device.id != claim.device || device.is_external) {
        return {.objection = "it has another id in the tailnet, or is not owned by it"};
    }
    if (!owner.empty()) {
        return {.objection = used_by(owner)};
    }
    const std::string_view tags = list_with(claim.tags, device.tags);
    if (tags.empty()) {
        const std::string wanted = claim.tags.empty() ? "and its expected tags are unknown"
                                                      : fmt::format("expected \"{}\"", claim.tags);
        return {.objection =
                    fmt::format("it has the tags \"{}\", {}", fmt::join(device.tags, ","), wanted)};
    }
    if (claim.hostname.empty()) {
        return {.objection = "its expected hostname is unknown"};
    }
    if (lower_case(device.hostname) != lower_case(claim.hostname)) {
        return {.objection = fmt::format("it has the hostname \"{}\", expected \"{}\"",
                                         device.hostname, claim.hostname)};
    }
    return {.tags = std::string(tags)};
}

Job OwnDevices::must_be_own(const DeviceClaim& claim, const std::shared_ptr<OwnDevice>& found) {
    return tailnets_.job(claim.tailnet, [this, claim, found](tailnet::Api& api, const Next& next) {
        api.get_device(claim.device, [this, claim, found, next](const tailnet::Reply& reply) {
            if (!reply.ok()) {
                return next(
                    reply.not_found()
                        ? fmt::format("its state Secret names device \"{}\", which is not in "
                                      "the tailnet",
                                      claim.device)
                        : fmt::format("cannot read device \"{}\": {}", claim.device,
                                      reply.message));
            }
            const TailnetDevice device = decode_tailnet_device(reply.body);
            Proof proof = prove(claim, device, around_.owner_of(claim));
            if (claim.is_noted && device.id == claim.device && !device.is_external) {
                proof.objection.clear();  // it was proven before
            }
            *found = {.tags = proof.tags,
                      .notes = {.name = std::string(without_dot(device.name)),
                                .addresses = fmt::format("{}", fmt::join(device.addresses, ","))}};
            next(proof.objection.empty()
                     ? std::string()
                     : fmt::format("its state Secret names device \"{}\"{}, which is not proven to "
                                   "be its own: {}; it is neither tagged nor deleted: fix this in "
                                   "the tailnet's admin console if it is the proxy's, otherwise "
                                   "delete Secret \"{}\" and then the pod",
                                   claim.device, device_name(device), proof.objection, claim.pod));
        });
    });
}

void OwnDevices::tell_contradiction(const DeviceClaim& claim, const DeviceNotes& notes) {
    around_.tell(
        claim.parent,
        {kube::EventType::Warning, "DeviceMisdescribed",
         fmt::format(
             "{}: its state Secret gives device \"{}\" a name or an address that it "
             "does not have in the tailnet; the values of the tailnet are published: {}, {}",
             claim.pod, claim.device, notes.name, notes.addresses)});
}

Job OwnDevices::erase(const DeviceClaim& claim, const Job& guard) {
    if (claim.device.empty()) {
        return [](const Next& next) { next({}); };
    }
    return tailnets_.removal(
        claim.tailnet, [this, claim, guard](tailnet::Api& api, const Next& next) {
            if (const std::string user = around_.user_of(claim); !user.empty()) {
                return leave(claim, used_by(user), next);
            }
            api.delete_device(claim.device, done_or_gone(next), guard);
        });
}

Job OwnDevices::erase_if_own(const DeviceClaim& claim, const Job& guard) {
    if (claim.device.empty()) {
        return [](const Next& next) { next({}); };
    }
    if (!claim.is_tailnet_noted) {
        return [this, claim](const Next& next) { leave(claim, kUnknownTailnet, next); };
    }
    return tailnets_.removal(claim.tailnet, [this, claim, guard](tailnet::Api& api,
                                                                 const Next& next) {
        api.get_device(claim.device, [this, &api, claim, guard, next](const tailnet::Reply& reply) {
            if (!reply.ok()) {
                return next(unless_gone(reply));
            }
            const Proof proof =
                prove(claim, decode_tailnet_device(reply.body), around_.owner_of(claim));
            const std::string user = around_.user_of(claim);
            if (!proof.objection.empty() || !user.empty()) {
                return leave(claim, proof.objection.empty() ? used_by(user) : proof.objection,
                             next);
            }
            api.delete_device(claim.device, done_or_gone(next), guard);
        });
    });
}

void OwnDevices::leave(const DeviceClaim& claim, std::string_view why, const Next& next) {
    around_.tell(claim.parent,
                 {kube::EventType::Warning, "DeviceNotDeleted",
                  fmt::format("{}: device \"{}\", which its Secrets name, is kept: {}", claim.pod,
                              claim.device, why)});
    next({});
}

}  // namespace runtime::controller
