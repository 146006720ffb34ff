#include "runtime/controller/devices.h"

#include <array>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/log.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

// From this capability version on tailscaled's container says where it serves HTTPS.
constexpr int kSaysHttps = 109;

std::string_view without_dot(std::string_view name) {
    return name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
}

DeviceState state_of(const Replica& replica) {
    if (!is_wanted(replica)) {
        return DeviceState::Leaving;
    }
    if (replica.state == nullptr || replica.state->device().empty()) {
        return DeviceState::Waiting;
    }
    return is_up(replica) ? DeviceState::Joined : DeviceState::Restarting;
}

std::string https_name(const StateSecret& state) {
    if (state.capability() < kSaysHttps) {
        return std::string(without_dot(state.device_fqdn));
    }
    return state.https_endpoint == "no-https" ? "" : std::string(without_dot(state.https_endpoint));
}

}  // namespace

Value device_line(const Replica& replica, const std::string& problem) {
    const Device device = device_of(replica);
    const StateSecret none;
    const StateSecret& state = replica.state == nullptr ? none : *replica.state;
    const ProxySet* set = replica.set;
    const auto ordinal = static_cast<std::size_t>(replica.ordinal);
    const bool has_hostname = set != nullptr && ordinal < set->hostnames.size();
    Value line = Value::map(
        {{"pod", replica.pod_name},
         {"parent", set == nullptr ? labelled_parent(state.labels) : std::string(set->parent)},
         {"hostname", has_hostname ? std::string_view(set->hostnames[ordinal]) : ""},
         {"fqdn", device.fqdn},
         {"addresses", text_list(device.addresses)},
         {"device", state.device()},
         {"tags", text_list(set == nullptr ? std::vector<std::string>() : split_list(set->tags))},
         {"tailnet",
          (replica.state != nullptr || set == nullptr ? state.tailnet : set->tailnet).view()},
         {"state", name_of(device.state)}});
    put_if(line, !problem.empty(), "problem", redact(problem));
    return line;
}

std::string_view name_of(DeviceState state) {
    constexpr std::array<std::string_view, kDeviceStates> kNames = {"waiting", "joined",
                                                                    "restarting", "leaving"};
    return kNames.at(static_cast<std::size_t>(state));
}

Device device_of(const Replica& replica) {
    Device device;
    device.pod = replica.pod_name;
    device.state = state_of(replica);
    if (replica.state != nullptr) {
        const bool is_recorder = replica.set != nullptr && replica.set->is_recorder();
        device.fqdn =
            without_dot(is_recorder ? replica.state->login_name : replica.state->device_fqdn);
        device.https_name = https_name(*replica.state);
        const auto addresses = renderer::read_json(replica.state->device_ips);
        if (addresses && addresses->is_list()) {
            for (const Value& address : addresses->items()) {
                device.addresses.emplace_back(text_of(address));
            }
        }
    }
    return device;
}

}  // namespace runtime
