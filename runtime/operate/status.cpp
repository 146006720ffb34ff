#include "runtime/operate/status.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/devices.h"
#include "runtime/controller/ledger.h"
#include "runtime/controller/removal_guard.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/reference_operator.h"
#include "runtime/operate/table.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

struct Look {
    OperateContext context;
    StatusForm form;
    Objects ledgers, deployments, sets, secrets, pods;
};
using Shared = std::shared_ptr<Look>;

std::string joined(const Value* list) {
    std::string out;
    if (list != nullptr && list->is_list()) {
        for (const Value& item : list->items()) {
            out += (out.empty() ? "" : ",") + std::string(text_of(item));
        }
    }
    return out;
}

// One device a line.
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

// What the controller has written down under `key`.
std::string_view written(const Objects& ledgers, std::string_view key) {
    for (const Value& ledger : ledgers) {
        if (text_of(ledger.at({"metadata", "name"})) == kLedgerName) {
            return text_of(ledger.at({"data", key}));
        }
    }
    return {};
}

// What has vanished at once and waits for a word, with the command that says it.
std::vector<Value> blocked_removals(const Look& look) {
    std::vector<Value> out;
    for (const std::string_view key : {kBlockedKey, kBlockedServicesKey}) {
        auto blocked = renderer::read_json(written(look.ledgers, key));
        const std::string token(blocked ? text_of(blocked->at({"token"})) : std::string_view());
        if (!token.empty()) {
            blocked->put(
                "command",
                fmt::format("kubectl annotate --overwrite configmap {} -n {} {}={}", kLedgerName,
                            look.context.ns, kConfirmRemovalsAnnotation, token));
            out.push_back(std::move(*blocked));
        }
    }
    return out;
}

// What the controller would write.
std::string table_of_secrets(const Look& look) {
    std::map<std::string, ProxySet> sets;
    std::map<std::string, Pod> pods;
    std::map<std::string, StateSecret> states;
    for (const Value& object : look.sets) {
        if (auto set = decode_proxy_set(object); set && set->contract == kContractVersion) {
            sets[set->name] = std::move(*set);
        }
    }
    for (const Value& object : look.pods) {
        if (auto pod = decode_pod(object)) {
            pods[pod->name] = std::move(*pod);
        }
    }
    std::map<std::string, Replica> replicas;
    for (const Value& object : look.secrets) {
        auto state = decode_state_secret(object);
        const auto name = state ? split_replica(state->name) : std::nullopt;
        if (name.has_value()) {
            const auto set = sets.find(state->set);
            const auto pod = pods.find(state->name);
            const int ordinal = name->ordinal;
            const auto& kept = states.emplace(state->name, std::move(*state)).first->second;
            replicas[kept.name] = {.pod_name = kept.name,
                                   .ordinal = ordinal,
                                   .set = set == sets.end() ? nullptr : &set->second,
                                   .state = &kept,
                                   .auth = nullptr,
                                   .pod = pod == pods.end() ? nullptr : &pod->second,
                                   .config = {}};
        }
    }
    return devices_table(replicas, [](std::string_view) { return std::string(); });
}

Value list_of(const std::vector<Value>& values) {
    Value list = Value::list();
    for (const Value& value : values) {
        list.append(value.clone());
    }
    return list;
}

std::string as_json(const std::vector<Value>& devices, const std::vector<Value>& blocked) {
    return renderer::write_json_pretty(
        Value::map({{"devices", list_of(devices)}, {"blocked", list_of(blocked)}}));
}

std::string as_table(const std::vector<Value>& devices, const std::vector<Value>& blocked) {
    std::vector<std::vector<std::string>> rows{
        {"POD", "PARENT", "HOSTNAME", "FQDN", "ADDRESSES", "STATE", "TAGS", "PROBLEM"}};
    for (const Value& device : devices) {
        const auto text = [&device](std::string_view key) {
            return std::string(text_of(device.find(key)));
        };
        if (const Value* omitted = device.find("omitted"); omitted != nullptr) {
            rows.push_back({fmt::format("and {} more", omitted->as_int().value_or(0))});
            continue;
        }
        const Value* tags = device.find("tags");
        rows.push_back({text("pod"), text("parent"), text("hostname"), text("fqdn"),
                        joined(device.find("addresses")), text("state"),
                        tags != nullptr && tags->is_list() ? joined(tags) : text("tags"),
                        text("problem")});
    }
    std::string text = table(rows);
    for (const Value& one : blocked) {
        const Value* names = one.find("pods");
        text +=
            fmt::format("{} have vanished at once, and none is removed until you confirm it: {}\n",
                        joined(names), text_of(one.find("command")));
    }
    return text;
}

std::string show(const Look& look) {
    const OperateContext& context = look.context;
    std::string lines(written(look.ledgers, kDevicesKey));
    if (lines.empty()) {
        lines = table_of_secrets(look);
    }
    const auto devices = read_lines(lines);
    const auto blocked = blocked_removals(look);
    if (devices.empty()) {
        std::string problem =
            missing_installation(context.ns, look.deployments, look.sets, look.secrets);
        if (!problem.empty()) {
            return problem;
        }
    }
    if (look.form == StatusForm::Json) {
        context.say(as_json(devices, blocked));
    } else if (devices.empty()) {
        context.say(fmt::format("no proxies in namespace \"{}\"", context.ns));
    } else {
        context.say(as_table(devices, blocked));
    }
    return {};
}

}  // namespace

void show_status(const OperateContext& context, StatusForm form, Next done) {
    const auto look = std::make_shared<Look>(Look{context, form, {}, {}, {}, {}, {}});
    KubeClient& kube = context.kube;
    run_in_order({list_all(kube, path_of(kConfigMaps, context.ns), look->ledgers),
                  list_all(kube, path_of(kDeployments, context.ns), look->deployments),
                  list_all(kube, path_of(kStatefulSets, context.ns), look->sets),
                  list_all(kube, path_of(kSecrets, context.ns), look->secrets),
                  list_all(kube, path_of(kPods, context.ns), look->pods)},
                 [look, done = std::move(done)](const std::string& problem) {
                     done(problem.empty() ? show(*look) : problem);
                 });
}

}  // namespace runtime
