#include "runtime/operate/status/status_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "renderer/contract/controller_objects.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/ingress_groups/service_table.h"
#include "runtime/controller/records/devices_table.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/records/removal_guard.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/apart.h"
#include "runtime/operate/hidden_states.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/status/controller_state.h"
#include "runtime/operate/status/device_rows.h"
#include "runtime/operate/status/table.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

struct Look {
    OperateContext context;
    StatusForm form;
    StatusDone done;
    Listed maps = {}, deployments = {}, sets = {}, secrets = {}, pods = {}, leases = {};
    std::string apart_refusal = {};  // the server forbids to read the API proxy's own namespace
};
using SharedLook = std::shared_ptr<Look>;

// The content of the output.
struct Report {
    ControllerState controller;
    std::vector<Value> devices, services, blocked;
    std::vector<std::string> left_out;  // what may not be read, in the server's words
};

std::string joined(const Value* list) {
    return fmt::format("{}", fmt::join(controller::texts_of(list), ","));
}

// Returns what the controller has written under `key` of its ledger.
std::string_view written(const Objects& maps, std::string_view key) {
    for (const Value& map : maps) {
        if (text_of(map.at({"metadata", "name"})) == controller::kLedgerName) {
            return text_of(map.at({"data", key}));
        }
    }
    return {};
}

// Returns the lines of all tables of devices.
std::string written_devices(const Objects& maps) {
    std::string lines;
    for (const Value& map : maps) {
        if (controller::is_devices_table(text_of(map.at({"metadata", "name"})))) {
            lines += text_of(map.at({"data", controller::kDevicesKey}));
        }
    }
    return lines;
}

// Returns the rows of Tailscale Services: those that the controller has written, and those that it
// has not seen yet.
std::vector<Value> service_rows(const Objects& maps) {
    std::vector<Value> rows = read_lines(written(maps, controller::kServicesKey));
    std::set<std::string> known;
    for (const Value& row : rows) {
        known.insert(std::string(text_of(row.find("service"))));
    }
    for (const Value& map : maps) {
        const auto group = controller::decode_group(map);
        for (const controller::Offer& offer :
             group.has_value() ? group->offers : std::vector<controller::Offer>()) {
            if (!known.contains(offer.name)) {
                rows.push_back(controller::waiting_service(offer, group->name));
            }
        }
    }
    return rows;
}

// Returns the removals that are blocked until a user confirms them, with the command for that.
std::vector<Value> blocked_removals(const Look& look) {
    std::vector<Value> out;
    for (const std::string_view key : {controller::kBlockedKey, controller::kBlockedServicesKey}) {
        auto blocked = renderer::read_json(written(look.maps.objects, key));
        const std::string token(blocked ? text_of(blocked->at({"token"})) : std::string_view());
        if (!token.empty()) {
            blocked->put("command",
                         fmt::format("kubectl annotate --overwrite configmap {} -n {} {}={}",
                                     controller::kLedgerName, look.context.ns,
                                     renderer::kConfirmRemovalsAnnotation, token));
            out.push_back(std::move(*blocked));
        }
    }
    return out;
}

Value list_of(const std::vector<Value>& values) {
    Value list = Value::list();
    for (const Value& value : values) {
        list.append(value.clone());
    }
    return list;
}

std::string as_json(const Report& report) {
    const ControllerState& state = report.controller;
    Value controller = Value::map({{"state", Value(state.state)}});
    put_if(controller, !state.reason.empty(), "reason", Value(state.reason));
    put_if(controller, state.last_seen.has_value(), "lastSeen",
           state.last_seen.has_value() ? Value(format_seconds(*state.last_seen)) : Value());
    Value left_out = Value::list();
    for (const std::string& one : report.left_out) {
        left_out.append(one);
    }
    return renderer::write_json_pretty(Value::map({{"controller", std::move(controller)},
                                                   {"devices", list_of(report.devices)},
                                                   {"services", list_of(report.services)},
                                                   {"blocked", list_of(report.blocked)},
                                                   {"leftOut", std::move(left_out)}}));
}

// "90s", "5m", "3h", "12d": whole units, rounded down.
std::string short_age(Duration age) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
    constexpr std::pair<std::int64_t, char> kUnits[] = {
        {24 * 60 * 60, 'd'}, {60 * 60, 'h'}, {60, 'm'}};
    for (const auto& [length, unit] : kUnits) {
        if (seconds >= 2 * length) {
            return fmt::format("{}{}", seconds / length, unit);
        }
    }
    return fmt::format("{}s", std::max<std::int64_t>(seconds, 0));
}

std::string controller_line(const ControllerState& state, bool has_devices) {
    std::string line = fmt::format("controller: {}", state.state);
    if (!state.reason.empty()) {
        line += fmt::format(" ({})", state.reason);
    }
    if (state.state == "not running" && state.last_seen.has_value() && has_devices) {
        line += "; devices are as of " + format_seconds(*state.last_seen);
    }
    return line + "\n";
}

std::string more(const Value& omitted) {
    return fmt::format("and {} more", omitted.as_int().value_or(0));
}

std::vector<std::string> row_of(const Value& device, bool is_wide, Time now) {
    const auto text = [&device](std::string_view key) {
        return std::string(text_of(device.find(key)));
    };
    std::vector<std::string> row{text("pod"), text("state"), text("fqdn"), text("parent")};
    if (is_wide) {
        const auto age = age_of(parse_time(text("created")), now);
        for (std::string& cell : std::vector<std::string>{
                 text("hostname"), joined(device.find("addresses")), joined(device.find("tags")),
                 text("tailnet"), age.has_value() ? short_age(*age) : std::string()}) {
            row.push_back(std::move(cell));
        }
    }
    row.push_back(text("problem"));
    return row;
}

std::string table_of(const std::vector<Value>& devices, bool is_wide, Time now) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(devices.size() + 1);
    rows.push_back(is_wide
                       ? std::vector<std::string>{"NAME", "STATE", "FQDN", "PARENT", "HOSTNAME",
                                                  "ADDRESSES", "TAGS", "TAILNET", "AGE", "PROBLEM"}
                       : std::vector<std::string>{"NAME", "STATE", "FQDN", "PARENT", "PROBLEM"});
    for (const Value& device : devices) {
        rows.push_back(row_of(device, is_wide, now));
    }
    return table(rows);
}

std::string table_of_services(const std::vector<Value>& services, bool is_wide) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(services.size() + 1);
    rows.push_back(
        is_wide ? std::vector<std::string>{"SERVICE", "ADDRESS", "STATE", "PARENT", "FQDN", "GROUP",
                                           "TAILNET", "PROBLEM"}
                : std::vector<std::string>{"SERVICE", "ADDRESS", "STATE", "PARENT", "PROBLEM"});
    for (const Value& service : services) {
        const auto text = [&service](std::string_view key) {
            return std::string(text_of(service.find(key)));
        };
        if (const Value* omitted = service.find("omitted"); omitted != nullptr) {
            rows.push_back({more(*omitted)});
            continue;
        }
        const std::string addresses = joined(service.find("addresses"));
        rows.push_back({text("service"),
                        is_wide ? addresses : addresses.substr(0, addresses.find(',')),
                        text("state"), text("parent")});
        for (const char* key : {"fqdn", "group", "tailnet"}) {
            if (is_wide) {
                rows.back().push_back(text(key));
            }
        }
        rows.back().push_back(text("problem"));
    }
    return services.empty() ? std::string() : "\n" + table(rows);
}

std::string as_text(const Look& look, const Report& report) {
    std::string text = controller_line(report.controller, !report.devices.empty());
    text += report.devices.empty()
                ? fmt::format("no proxies in namespace \"{}\"\n", look.context.ns)
                : table_of(report.devices, look.form == StatusForm::Wide, look.context.loop.now());
    text += table_of_services(report.services, look.form == StatusForm::Wide);
    for (const Value& one : report.blocked) {
        text += fmt::format("{} have disappeared, and none is removed until you confirm it: {}\n",
                            joined(one.find("pods")), text_of(one.find("command")));
    }
    for (const std::string& one : report.left_out) {
        text += fmt::format("left out: {}\n", one);
    }
    return text;
}

void show(const Look& look) {
    const OperateContext& context = look.context;
    Report report;
    report.controller =
        controller_state(look.deployments, look.pods, look.leases, context.loop.now());
    const std::string lines = written_devices(look.maps.objects);
    report.devices = device_rows({.table = lines,
                                  .is_table_known = look.maps.refusal.empty(),
                                  .is_apart_known = look.apart_refusal.empty(),
                                  .sets = look.sets,
                                  .pods = look.pods,
                                  .secrets = look.secrets});
    report.services = service_rows(look.maps.objects);
    report.blocked = blocked_removals(look);
    for (const Listed* listed :
         {&look.maps, &look.deployments, &look.sets, &look.secrets, &look.pods, &look.leases}) {
        if (!listed->refusal.empty()) {
            report.left_out.push_back(listed->refusal);
        }
    }
    if (!look.apart_refusal.empty()) {
        report.left_out.push_back(look.apart_refusal);
    }
    if (report.devices.empty() && look.deployments.refusal.empty() && look.sets.refusal.empty()) {
        const std::string problem = missing_installation(context.ns, look.deployments.objects,
                                                         look.sets.objects, look.secrets.objects);
        if (!problem.empty()) {
            return look.done(problem, false);
        }
    }
    context.say(look.form == StatusForm::Json ? as_json(report) : as_text(look, report));
    look.done({}, report.controller.is_running());
}

// Reads the Secrets only if the controller has written no table: few users may read them.
void read_secrets(const SharedLook& look) {
    const bool has_table = !written_devices(look->maps.objects).empty();
    std::vector<Job> jobs;
    if (!has_table) {
        jobs.push_back(list_allowed(
            look->context.kube, kube::path_of(kube::kSecrets, look->context.ns), look->secrets));
    }
    run_in_order(std::move(jobs), [look](const std::string& problem) {
        const bool knows_nothing = !look->maps.refusal.empty() && !look->secrets.refusal.empty() &&
                                   !look->sets.refusal.empty();
        if (problem.empty() && !knows_nothing) {
            show_hidden_states(look->secrets.objects);
            return show(*look);
        }
        look->done(problem.empty() ? look->maps.refusal : problem, false);
    });
}

}  // namespace

void show_status(const OperateContext& context, StatusForm form, StatusDone done) {
    const auto look = std::make_shared<Look>(Look{context, form, std::move(done)});
    kube::Client& kube = context.kube;
    run_in_order({list_allowed(kube, kube::path_of(kube::kConfigMaps, context.ns), look->maps),
                  list_allowed(kube, kube::path_of(kDeployments, context.ns), look->deployments),
                  list_allowed(kube, kube::path_of(kube::kStatefulSets, context.ns), look->sets),
                  list_allowed(kube, kube::path_of(kube::kPods, context.ns), look->pods),
                  add_apart(kube, look->deployments.objects, look->sets.objects, look->pods.objects,
                            &look->apart_refusal),
                  list_allowed(kube, kube::path_of(kube::kLeases, context.ns), look->leases)},
                 [look](const std::string& problem) {
                     problem.empty() ? read_secrets(look) : look->done(problem, false);
                 });
}

}  // namespace runtime::operate
