#include <utility>

#include "renderer/access/report.h"
#include "renderer/core/json.h"

namespace renderer::access {
namespace {

constexpr int kReportVersion = 1;

Value json_rules(const std::vector<const Rule*>& rules, const SourceMap& sources) {
    Value list = Value::list();
    for (const Rule* rule : rules) {
        Value map = Value::map({{"section", rule->section}});
        if (rule->pos.known()) {
            const Location place = sources.locate(rule->pos);
            map.add("file", place.path);
            map.add("line", static_cast<std::int64_t>(place.line));
        }
        list.append(std::move(map));
    }
    return list;
}

class JsonWriter {
public:
    JsonWriter(const Question& question, Evaluator& evaluator, const SourceMap& sources,
               UnknownRules& unknown)
        : question_(question), evaluator_(evaluator), sources_(sources), unknown_(unknown) {}

    Value write(const Cluster& cluster) {
        Value devices = Value::list();
        for (const Device& device : cluster.devices) {
            if (question_.asks(device)) {
                devices.append(json_device(device));
            }
        }
        Value egress = Value::list();
        for (const Egress& one : cluster.egress) {
            egress.append(Value::map({{"parent", one.parent},
                                      {"tags", text_list(one.tags)},
                                      {"target", one.target},
                                      {"allowed", word_of(evaluator_.may_leave(one))}}));
        }
        Value map = Value::map({{"cluster", cluster.name}});
        map.add("devices", std::move(devices));
        map.add("egress", std::move(egress));
        return map;
    }

private:
    Value json_device(const Device& device) {
        Value map = Value::map({{"hostname", device.name},
                                {"parent", device.parent},
                                {"tags", text_list(device.tags)}});
        Value endpoints = Value::list();
        for (const Endpoint& endpoint : device.endpoints) {
            if (question_.asks(endpoint)) {
                endpoints.append(json_endpoint(device, endpoint));
            }
        }
        map.add("endpoints", std::move(endpoints));
        if (!device.api_tags.empty()) {
            map.add("kubernetes", json_roles(device));
        }
        return map;
    }

    Value json_endpoint(const Device& device, const Endpoint& endpoint) {
        unknown_.add(evaluator_.unknown_rules(endpoint));
        Value who = Value::list();
        for (const Access& access : evaluator_.who_reaches(device, endpoint)) {
            Value map = Value::map({{"who", access.who->text}, {"allowed", word_of(access.match)}});
            map.add("parts", text_list(access.parts));
            map.add("postures", text_list(access.postures));
            map.add("rules", json_rules(access.rules, sources_));
            who.append(std::move(map));
        }
        Value map = Value::map({{"endpoint", endpoint.label},
                                {"target", endpoint.target},
                                {"approved", endpoint.is_approved}});
        map.add("who", std::move(who));
        if (!question_.from.empty()) {
            Value from = Value::list();
            for (const Selector& one : question_.from) {
                from.append(
                    Value::map({{"who", one.text},
                                {"allowed", word_of(evaluator_.reaches(one, device, endpoint))}}));
            }
            map.add("from", std::move(from));
        }
        return map;
    }

    Value json_roles(const Device& device) const {
        Value roles = Value::list();
        for (const Role& role : evaluator_.roles(device)) {
            Value map = Value::map({{"who", role.who->text}});
            map.add("groups", text_list(role.groups));
            map.add("recorders", text_list(role.recorders));
            map.add("enforcesRecorder", role.enforces_recorder);
            map.add("postures", text_list(role.postures));
            map.add("rules", json_rules(role.rules, sources_));
            roles.append(std::move(map));
        }
        return roles;
    }

    const Question& question_;
    Evaluator& evaluator_;
    const SourceMap& sources_;
    UnknownRules& unknown_;
};

}  // namespace

std::string JsonReport::begin() {
    return pieces_.begin(Value::map({{"version", kReportVersion}, {"report", "access"}}),
                         "clusters");
}

std::string JsonReport::add(const Cluster& cluster) {
    return pieces_.item(JsonWriter(question_, evaluator_, sources_, unknown_).write(cluster));
}

std::string JsonReport::end() {
    Value rest = Value::map();
    // These are the rules for addresses of single devices, which are in no endpoint's list.
    rest.add("unknownRules", json_rules({unknown_.all().begin(), unknown_.all().end()}, sources_));
    rest.add("unknownSections", text_list(policy_.unknown_sections));
    return pieces_.end(rest) + "\n";
}

}  // namespace renderer::access
