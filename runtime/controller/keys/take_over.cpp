#include "runtime/controller/keys/take_over.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::lower_case;
using renderer::text_of;
using renderer::Value;

namespace {

using Fate = Judgement::Fate;

constexpr Duration kLookLife = std::chrono::seconds(10);

std::vector<std::string> sorted_texts(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    return texts;
}

bool contains(const std::vector<std::string>& texts, std::string_view text) {
    return std::ranges::find(texts, text) != texts.end();
}

// True if another request would get the same answer.
bool is_final(const tailnet::Reply& reply) {
    return reply.code >= 400 && reply.code < 500 && reply.code != 429;
}

std::string describe(const TailnetDevice& device) {
    return fmt::format("device \"{}\" ({})", device.id, device.name);
}

}  // namespace

TailnetDevice decode_tailnet_device(const Value& object) {
    TailnetDevice device;
    device.id = text_of(object.find("nodeId"));
    device.name = text_of(object.find("name"));
    device.hostname = text_of(object.find("hostname"));
    device.tags = sorted_texts(texts_of(object.find("tags")));
    device.addresses = texts_of(object.find("addresses"));
    if (const Value* online = object.find("connectedToControl");
        online != nullptr && online->is_bool()) {
        device.is_online = online->as_bool();
    }
    const Value* external = object.find("isExternal");
    device.is_external = external != nullptr && external->is_bool() && external->as_bool();
    device.last_seen = parse_time(text_of(object.find("lastSeen")));
    return device;
}

const TailnetDevice* holder_of(const std::vector<TailnetDevice>& devices,
                               std::string_view hostname) {
    const std::string label = lower_case(hostname);
    const auto holder = std::ranges::find_if(devices, [&label](const TailnetDevice& device) {
        return !device.is_external && device.name.substr(0, device.name.find('.')) == label;
    });
    return holder == devices.end() ? nullptr : &*holder;
}

Judgement judge(const TailnetDevice& device, const NameClaim& claim, std::string_view mark,
                std::string_view user, Time now) {
    if (!contains(device.tags, mark)) {
        return {Fate::Leave, fmt::format("does not have the tag \"{}\"", mark)};
    }
    if (device.tags != sorted_texts(claim.tags)) {
        return {Fate::Leave, fmt::format("has other tags: {}", fmt::join(device.tags, ","))};
    }
    if (lower_case(device.hostname) != lower_case(claim.hostname) || device.id.empty()) {
        return {Fate::Leave, fmt::format("has the hostname \"{}\"", device.hostname)};
    }
    if (!user.empty()) {
        return {Fate::Leave, fmt::format("belongs to Secret \"{}\"", user)};
    }
    if (!device.is_online.has_value() || (!*device.is_online && !device.last_seen.has_value())) {
        return {Fate::Leave, "may be online: the tailnet does not report it"};
    }
    if (*device.is_online) {
        return {Fate::Leave, "is online"};
    }
    const Duration offline = now - *device.last_seen;
    if (offline < -kOfflineTime) {
        return {Fate::Leave, "was last seen in the future"};
    }
    if (offline < kOfflineTime) {
        return {Fate::Wait, fmt::format("was online at {}", format_seconds(*device.last_seen))};
    }
    return {Fate::Delete};
}

TakeOver::TakeOver(Loop& loop, Tailnets& tailnets, std::string mark, Surroundings around)
    : loop_(loop), tailnets_(tailnets), mark_(std::move(mark)), around_(std::move(around)) {}

Job TakeOver::job(NameClaim claim) {
    if (mark_.empty() || claim.hostname.empty() || !contains(claim.tags, mark_)) {
        return [](const Next& next) { next({}); };
    }
    const std::string tailnet = claim.tailnet;
    return tailnets_.job(tailnet,
                         [this, claim = std::move(claim)](tailnet::Api& api, const Next& next) {
                             take(api, claim, next);
                         });
}

void TakeOver::look(tailnet::Api& api, const std::string& tailnet,
                    std::function<void(const Look&)> use) {
    Look& look = looks_[tailnet];
    if (look.is_done) {
        return use(look);
    }
    look.waiting.push_back(std::move(use));
    if (look.waiting.size() == 1) {
        api.list_devices(tailnet::Lane::Keys, [this, tailnet](tailnet::Reply reply) {
            take_list(tailnet, std::move(reply));
        });
    }
}

void TakeOver::take_list(const std::string& tailnet, tailnet::Reply reply) {
    Look& look = looks_[tailnet];
    const Value* devices = reply.ok() ? reply.body.find("devices") : nullptr;
    if (devices != nullptr && devices->is_list()) {
        look.devices.reserve(devices->items().size());
        for (const Value& device : devices->items()) {
            look.devices.push_back(decode_tailnet_device(device));
        }
    } else {
        if (reply.ok()) {
            reply.message = "the response has no list of devices";
        }
        look.failure = std::move(reply);
    }
    look.is_done = true;
    for (const auto& use : std::exchange(look.waiting, {})) {
        use(look);
    }
    if (!look.failure.message.empty()) {
        looks_.erase(tailnet);
        return;
    }
    loop_.after(kLookLife, [this, tailnet] { looks_.erase(tailnet); });
}

void TakeOver::take(tailnet::Api& api, const NameClaim& claim, const Next& next) {
    look(api, claim.tailnet, [this, &api, claim, next](const Look& look) {
        if (!look.failure.message.empty()) {
            return fail(claim, "cannot list the tailnet's devices", look.failure, next);
        }
        const TailnetDevice* holder = holder_of(look.devices, claim.hostname);
        if (holder == nullptr) {
            return next({});
        }
        if (may_go(claim, *holder, next)) {
            confirm(api, claim, holder->id, next);
        }
    });
}

// Checks again, because the list may be some seconds old.
void TakeOver::confirm(tailnet::Api& api, const NameClaim& claim, const std::string& id,
                       const Next& next) {
    api.get_device(
        id, tailnet::Lane::Keys, [this, &api, claim, id, next](const tailnet::Reply& reply) {
            if (reply.not_found()) {
                return next({});
            }
            if (!reply.ok()) {
                return fail(claim, fmt::format("cannot read device \"{}\"", id), reply, next);
            }
            const TailnetDevice device = decode_tailnet_device(reply.body);
            if (device.id == id && may_go(claim, device, next)) {
                erase(api, claim, device, next);
            } else if (device.id != id) {
                next("the tailnet's response is about another device");
            }
        });
}

void TakeOver::erase(tailnet::Api& api, const NameClaim& claim, const TailnetDevice& device,
                     const Next& next) {
    api.delete_device(
        device.id, tailnet::Lane::Keys, [this, claim, device, next](const tailnet::Reply& reply) {
            if (!reply.ok() && !reply.not_found()) {
                return fail(claim, fmt::format("{} cannot be deleted", describe(device)), reply,
                            next);
            }
            around_.tell(claim.parent, {kube::EventType::Normal, "DeviceTakenOver",
                                        fmt::format("{}: {} was deleted to free its name: it had "
                                                    "the tag \"{}\" and was offline since {}",
                                                    claim.pod, describe(device), mark_,
                                                    format_seconds(*device.last_seen))});
            next({});
        });
}

// If false, `next` has been called.
bool TakeOver::may_go(const NameClaim& claim, const TailnetDevice& device, const Next& next) {
    const Judgement judgement =
        judge(device, claim, mark_, around_.user_of(claim.tailnet, device.id), loop_.now());
    const std::string what = fmt::format("{} {}", describe(device), judgement.why);
    if (judgement.fate == Judgement::Fate::Leave) {
        leave(claim, what, next);
    } else if (judgement.fate == Judgement::Fate::Wait) {
        next(what + ": it is taken over once it has been offline for 5 minutes");
    }
    return judgement.fate == Judgement::Fate::Delete;
}

void TakeOver::fail(const NameClaim& claim, const std::string& what, const tailnet::Reply& reply,
                    const Next& next) {
    const std::string problem = fmt::format("{}: {}", what, reply.message);
    is_final(reply) ? leave(claim, problem, next) : next(problem);
}

void TakeOver::leave(const NameClaim& claim, const std::string& why, const Next& next) {
    around_.tell(claim.parent, {kube::EventType::Warning, "DeviceNotTakenOver",
                                fmt::format("{}: no device is taken over for the name \"{}\": {}",
                                            claim.pod, claim.hostname, why)});
    next({});
}

}  // namespace runtime::controller
