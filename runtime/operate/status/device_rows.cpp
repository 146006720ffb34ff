#include "runtime/operate/status/device_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/records/devices.h"
#include "runtime/operate/operator_objects.h"
#include "runtime/operate/status/pod_state.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

using Rows = std::map<std::string, Value>;  // by pod

// The decoded objects; `replicas` point to the others.
struct Decoded {
    std::map<std::string, controller::ProxySet> sets;
    std::map<std::string, controller::StateSecret> states;
    std::map<std::string, controller::AuthSecret> auths;  // by pod
    std::map<std::string, controller::Pod> pods;
    std::map<std::string, const Value*> pod_objects;
    std::map<std::string, controller::Replica> replicas;
};

template <typename T>
const T* pointer_to(const std::map<std::string, T>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

void add_replica(Decoded& decoded, const std::string& pod, const controller::ProxySet* set,
                 int ordinal) {
    const auto [entry, is_new] = decoded.replicas.try_emplace(pod);
    if (is_new) {
        entry->second = {.pod_name = entry->first,
                         .ordinal = ordinal,
                         .set = set,
                         .state = pointer_to(decoded.states, pod),
                         .auth = pointer_to(decoded.auths, pod),
                         .pod = pointer_to(decoded.pods, pod),
                         .config = {}};
    }
}

Decoded decode(const StatusInputs& inputs) {
    Decoded decoded;
    for (const Value& object : inputs.sets.objects) {
        if (auto set = controller::decode_proxy_set(object);
            set && set->contract == renderer::kContractVersion) {
            decoded.sets[set->name] = std::move(*set);
        }
    }
    for (const Value& object : inputs.pods.objects) {
        decoded.pods[name_of(object)] = *controller::decode_pod(object);
        decoded.pod_objects[name_of(object)] = &object;
    }
    for (const Value& object : inputs.secrets.objects) {
        if (auto state = controller::decode_state_secret(object)) {
            decoded.states[state->name] = std::move(*state);
        }
        if (auto auth = controller::decode_auth_secret(object)) {
            decoded.auths[auth->pod] = std::move(*auth);
        }
    }
    for (const auto& [name, set] : decoded.sets) {
        for (int ordinal = 0; ordinal < set.replicas; ++ordinal) {
            add_replica(decoded, fmt::format("{}-{}", name, ordinal), &set, ordinal);
        }
    }
    for (const auto& [pod, state] : decoded.states) {
        if (const auto name = controller::split_replica(pod)) {
            add_replica(decoded, pod, pointer_to(decoded.sets, state.set), name->ordinal);
        }
    }
    return decoded;
}

void add_problem(Value& row, const std::string& problem) {
    const std::string known(text_of(row.find("problem")));
    row.put("problem", known.empty() ? problem : known + "; " + problem);
}

void put_state(Value& row, controller::DeviceState state) {
    row.put("state", controller::name_of(state));
}

// Corrects a row by the present state of its pod and its StatefulSet.
void correct_row(Value& row, const StatusInputs& inputs, const Decoded& decoded) {
    const std::string pod(text_of(row.find("pod")));
    const std::string_view state = text_of(row.find("state"));
    const bool was_joined = state == controller::name_of(controller::DeviceState::Joined);
    const bool is_known = inputs.is_apart_known || pod != renderer::kApiProxyPod;
    if (state == controller::name_of(controller::DeviceState::Leaving) || !is_known) {
        return;
    }
    const controller::Replica* replica = pointer_to(decoded.replicas, pod);
    if (inputs.sets.refusal.empty() && (replica == nullptr || !controller::is_wanted(*replica))) {
        const auto name = controller::split_replica(pod);
        const controller::ProxySet* set =
            name.has_value() ? pointer_to(decoded.sets, std::string(name->set)) : nullptr;
        put_state(row, controller::DeviceState::Leaving);
        return add_problem(
            row, set == nullptr ? "its StatefulSet was deleted"
                                : fmt::format("its StatefulSet has {} replicas", set->replicas));
    }
    if (!inputs.pods.refusal.empty()) {
        return;
    }
    const auto object = decoded.pod_objects.find(pod);
    if (object == decoded.pod_objects.end()) {
        add_problem(row, "its pod does not exist");
    } else {
        const std::string_view created =
            text_of(object->second->at({"metadata", "creationTimestamp"}));
        put_if(row, !created.empty(), "created", Value(created));
        if (const std::string trouble = pod_trouble(*object->second); !trouble.empty()) {
            add_problem(row, "pod: " + trouble);
        }
    }
    if (was_joined && (object == decoded.pod_objects.end() || decoded.pods.at(pod).leaving)) {
        put_state(row, controller::DeviceState::Restarting);
    }
}

}  // namespace

std::vector<Value> read_lines(std::string_view lines) {
    std::vector<Value> out;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        if (auto line = renderer::read_json(lines.substr(0, end)); line && line->is_map()) {
            out.push_back(std::move(*line));
        }
        lines.remove_prefix(std::min(lines.size(), end + 1));
    }
    return out;
}

std::vector<Value> device_rows(const StatusInputs& inputs) {
    const Decoded decoded = decode(inputs);
    Rows rows;
    for (Value& line : read_lines(inputs.table)) {
        rows.insert_or_assign(std::string(text_of(line.find("pod"))), std::move(line));
    }
    const bool knows_devices = inputs.is_table_known || inputs.secrets.refusal.empty();
    for (const auto& [pod, replica] : decoded.replicas) {
        Value line = controller::device_line(replica, {});
        if (!knows_devices) {
            line.put("state", "unknown");
        }
        rows.try_emplace(pod, std::move(line));
    }
    std::vector<Value> out;
    out.reserve(rows.size());
    for (auto& [unused, row] : rows) {
        correct_row(row, inputs, decoded);
        out.push_back(std::move(row));
    }
    return out;
}

}  // namespace runtime::operate
