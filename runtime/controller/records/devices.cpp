#include "runtime/controller/records/devices.h"

#include <array>

#include "renderer/contract/state_secret.h"
#include "runtime/base/log.h"

namespace runtime::controller {

using renderer::text_list;
using renderer::Value;

namespace {

// From this capability version on tailscaled's container reports where it serves HTTPS.
constexpr int kSaysHttps = 109;

// True if the device in the state Secret is the replica's own.
bool is_noted(const Replica& replica) {
    return replica.auth != nullptr && replica.state != nullptr && !replica.auth->device.empty() &&
           replica.auth->device == replica.state->device();
}

DeviceState state_of(const Replica& replica) {
    if (!is_wanted(replica)) {
        return DeviceState::Leaving;
    }
    if (replica.state == nullptr || replica.state->device().empty()) {
        return DeviceState::Waiting;
    }
    if (!is_up(replica)) {
        return DeviceState::Restarting;
    }
    return is_noted(replica) ? DeviceState::Joined : DeviceState::Waiting;
}

bool serves_https(const StateSecret& state) {
    return state.capability() < kSaysHttps ||
           (!state.https_endpoint.empty() && state.https_endpoint != renderer::kNoHttps);
}

}  // namespace

Value device_line(const Replica& replica, const std::string& problem) {
    const Device device = device_of(replica);
    const StateSecret none;
    const StateSecret& state = replica.state == nullptr ? none : *replica.state;
    const Text& labels = replica.auth == nullptr ? state.labels : replica.auth->labels;
    const ProxySet* set = replica.set;
    const auto ordinal = static_cast<std::size_t>(replica.ordinal);
    const bool has_hostname = set != nullptr && ordinal < set->hostnames.size();
    Value line = Value::map(
        {{"pod", replica.pod_name},
         {"parent", set == nullptr ? labelled_parent(labels) : std::string(set->parent)},
         {"hostname", has_hostname ? std::string_view(set->hostnames[ordinal]) : ""},
         {"fqdn", device.fqdn},
         {"addresses", text_list(device.addresses)},
         {"device", device.id},
         {"tags", text_list(set == nullptr ? std::vector<std::string>() : split_list(set->tags))},
         {"tailnet", tailnet_of(replica)},
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
    if (replica.auth != nullptr && !replica.auth->device.empty()) {
        const AuthSecret& auth = *replica.auth;
        device.id = auth.device;
        device.fqdn = auth.device_name;
        device.hostname = auth.hostname;
        device.addresses = split_list(auth.device_addresses);
        device.is_described = !auth.device_words.empty();
        const bool has_https = replica.state != nullptr && serves_https(*replica.state);
        device.https_name = has_https ? device.fqdn : std::string();
    }
    return device;
}

}  // namespace runtime::controller
