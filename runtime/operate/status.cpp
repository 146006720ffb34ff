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
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/table.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

struct Look {
    OperateContext context;
    StatusForm form;
    Objects ledgers, sets, secrets, pods;
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

std::string written_table(const Objects& ledgers) {
    for (const Value& ledger : ledgers) {
        if (text_of(ledger.at({"metadata", "name"})) == kLedgerName) {
            return std::string(text_of(ledger.at({"data", kDevicesKey})));
        }
    }
    return {};
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

std::string as_json(const std::vector<Value>& devices) {
    Value list = Value::list();
    for (const Value& device : devices) {
        list.append(device.clone());
    }
    return renderer::write_json_pretty(list);
}

std::string as_table(const std::vector<Value>& devices) {
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
    return table(rows);
}

void show(const Look& look) {
    std::string lines = written_table(look.ledgers);
    if (lines.empty()) {
        lines = table_of_secrets(look);
    }
    const auto devices = read_lines(lines);
    look.context.say(look.form == StatusForm::Json ? as_json(devices) : as_table(devices));
}

}  // namespace

void show_status(const OperateContext& context, StatusForm form, Next done) {
    const auto look = std::make_shared<Look>(Look{context, form, {}, {}, {}, {}});
    KubeClient& kube = context.kube;
    run_in_order({list_all(kube, path_of(kConfigMaps, context.ns), look->ledgers),
                  list_all(kube, path_of(kStatefulSets, context.ns), look->sets),
                  list_all(kube, path_of(kSecrets, context.ns), look->secrets),
                  list_all(kube, path_of(kPods, context.ns), look->pods)},
                 [look, done = std::move(done)](const std::string& problem) {
                     if (problem.empty()) {
                         show(*look);
                     }
                     done(problem);
                 });
}

}  // namespace runtime
