#include "runtime/adopt/adopt_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/domain.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/controller/keys/operators_device.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/operator_objects.h"
#include "runtime/operate/status/table.h"

namespace runtime::adopt {

using namespace operate;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kNotRendered =
    "no rendered proxy for it: apply the rendered manifests first, while the operator is stopped";

// True for the operator's nameserver; the rendered one runs our role.
bool is_operators_nameserver(const Value& deployment) {
    const Value* containers = deployment.at({"spec", "template", "spec", "containers"});
    if (controller::label_of(deployment, renderer::label::kParentType) !=
            renderer::label::kNameserverType ||
        containers == nullptr || !containers->is_list() || containers->items().empty()) {
        return false;
    }
    const Value* args = containers->items()[0].find("args");
    return args == nullptr || !args->is_list() || args->items().empty() ||
           text_of(args->items()[0]) != renderer::label::kNameserverType;
}

// Returns the existing Secrets `<set>-<ordinal>`, by ordinal.
std::vector<const Value*> secrets_of(const AdoptSnapshot& snapshot, std::string_view set) {
    std::map<int, const Value*> found;
    for (const Value& secret : snapshot.secrets) {
        const std::string name = name_of(secret);
        const auto replica = controller::split_replica(name);
        if (replica.has_value() && replica->set == set) {
            found[replica->ordinal] = &secret;
        }
    }
    std::vector<const Value*> out;
    out.reserve(found.size());
    for (const auto& [unused, secret] : found) {
        out.push_back(secret);
    }
    return out;
}

std::string device_names(const std::vector<const Value*>& secrets) {
    std::string out;
    for (const Value* secret : secrets) {
        std::string name = datum_of(*secret, renderer::kDeviceFqdn);
        if (name.ends_with('.')) {
            name.pop_back();
        }
        name = name.empty() ? device_of(*secret) : name;
        out += (out.empty() || name.empty() ? "" : ",") + name;
    }
    return out;
}

// Returns the rendered StatefulSet of the same parent, or nullptr.
const Value* rendered_set_labeled(const AdoptSnapshot& snapshot, const Labels& labels) {
    const auto found =
        std::find_if(snapshot.sets.begin(), snapshot.sets.end(), [&labels](const Value& set) {
            return !labels.empty() && is_rendered(set) && parent_labels(set) == labels;
        });
    return found == snapshot.sets.end() ? nullptr : &*found;
}

// Returns a message if a state Secret of the new name already has another device than the one that
// is to be moved.
std::string other_device(const AdoptSnapshot& snapshot, const Move& move) {
    for (const std::string& old_name : move.secrets) {
        const Value* old = find_named(snapshot.secrets, old_name);
        const std::string name = move.new_name + old_name.substr(move.old_name.size());
        const Value* state = find_named(snapshot.secrets, name);
        const std::string device = state == nullptr ? std::string() : device_of(*state);
        const std::string wanted = device_of(*old);
        if (!device.empty() && !wanted.empty() && device != wanted) {
            return fmt::format("\"{}\" has joined as a new device, {}", name, device);
        }
    }
    return {};
}

Move plan_move(const AdoptSnapshot& snapshot, const Labels& labels, const std::string& old_name) {
    Move move;
    move.parent = parent_of(labels);
    move.old_name = old_name;
    const Value* old = find_named(snapshot.sets, old_name);
    if (old != nullptr) {
        move.parent = labels.empty() ? custom_owner(*old) : move.parent;
        move.old_uid = text_of(old->at({"metadata", "uid"}));
    }
    const auto secrets = secrets_of(snapshot, old_name);
    for (const Value* secret : secrets) {
        move.secrets.push_back(name_of(*secret));
    }
    move.devices = device_names(secrets);
    const Value* rendered = rendered_set_labeled(snapshot, labels);
    if (rendered == nullptr) {
        move.problem = kNotRendered;
        return move;
    }
    move.new_name = name_of(*rendered);
    move.services =
        services_that_name(snapshot, old_name, text_of(rendered->at({"metadata", "namespace"})));
    if (controller::annotation_of(*rendered, renderer::kContractAnnotation) !=
        renderer::kContractVersion) {
        move.problem = fmt::format("\"{}\" uses another contract than \"{}\"", move.new_name,
                                   renderer::kContractVersion);
        return move;
    }
    move.problem = other_device(snapshot, move);
    return move;
}

GroupService plan_service(const AdoptSnapshot& snapshot, const Value& old) {
    GroupService out;
    const Labels labels = parent_labels(old);
    const std::string_view ns = text_of(old.at({"metadata", "namespace"}));
    out.parent = parent_of(labels);
    out.old_name = name_of(old);
    out.services = services_that_name(snapshot, out.old_name, ns);
    for (const Value& slice : snapshot.slices) {
        if (controller::label_of(slice, "kubernetes.io/service-name") == out.old_name &&
            controller::label_of(slice, renderer::label::kManaged) == "true") {
            out.slices.push_back(name_of(slice));
        }
    }
    for (const Value& service : snapshot.services) {
        if (!has_generated_name(service) && parent_labels(service) == labels) {
            out.new_name = name_of(service);
        }
    }
    out.problem = out.new_name.empty() ? kNotRendered : std::string_view();
    return out;
}

// Finds the operator's proxies, also those whose move has begun: their StatefulSets and Services
// are deleted one after the other, and the record is closed last.
std::map<std::string, Labels> old_proxies(const AdoptSnapshot& snapshot) {
    std::map<std::string, Labels> out;
    for (const Value& set : snapshot.sets) {
        if (is_operators_set(set)) {
            out[name_of(set)] = parent_labels(set);
        }
    }
    for (const Value& service : snapshot.services) {
        const bool of_group = !controller::label_of(service, renderer::label::kProxyGroup).empty();
        if (has_generated_name(service) && !parent_labels(service).empty() && !of_group) {
            out[name_of(service)] = parent_labels(service);
        }
    }
    for (const Value& secret : snapshot.secrets) {
        if (const auto record = decode_record(secret); record && record->is_open) {
            out[record->old_name] = record->labels;
        }
    }
    return out;
}

// Returns the Secret that the operator keeps beside the state Secret `secret` of a rendered set, or
// "".
std::string leftover_of(const AdoptSnapshot& snapshot, const Value& set,
                        const std::string& secret) {
    const auto proxy = controller::decode_proxy_set(set);
    if (proxy->is_api_proxy || proxy->is_of(renderer::kind_of("PeerRelay"))) {
        return renderer::config_secret_name(secret);
    }
    const std::string keys = renderer::auth_secret_name(name_of(set));
    // It would be the state Secret of a set with that name.
    const bool has_keys =
        proxy->is_of(renderer::kind_of("Recorder")) && find_named(snapshot.sets, keys) == nullptr;
    return has_keys ? fmt::format("{}-{}", keys, controller::split_replica(secret)->ordinal)
                    : std::string();
}

std::optional<OperatorDevice> plan_own_device(const AdoptSnapshot& snapshot) {
    const auto set = std::find_if(snapshot.sets.begin(), snapshot.sets.end(), [](const Value& one) {
        return controller::annotation_of(one, renderer::kContractAnnotation) ==
                   renderer::kContractVersion &&
               controller::label_of(one, renderer::label::kParentType) ==
                   renderer::label::kApiProxyType;
    });
    const Value* old =
        find_named(snapshot.secrets, state_of_operator(find_operator(snapshot.deployments)));
    if (set == snapshot.sets.end() || old == nullptr || device_of(*old).empty()) {
        return std::nullopt;
    }
    OperatorDevice own{.parent = controller::annotation_of(*set, renderer::kParentAnnotation),
                       .old_name = name_of(*old),
                       .new_name = name_of(*set) + "-0",
                       .set = name_of(*set),
                       .devices = device_names({old})};
    const Value* state = find_named(snapshot.secrets, own.new_name);
    const std::string key = controller::auth_name(own.new_name, false);
    const Value* auth = find_named(snapshot.secrets, key);
    const std::string device = state == nullptr ? std::string() : device_of(*state);
    const bool is_noted =
        auth != nullptr && !controller::annotation_of(*auth, renderer::kDeviceAnnotation).empty();
    if (controller::annotation_of(*old, kMovedAnnotation) == own.new_name && !device.empty() &&
        is_noted) {
        return std::nullopt;  // moved, whatever device it has by now
    }
    const std::string choice = fmt::format(
        "delete Secrets \"{0}\" and \"{1}\" and pod \"{1}\" and run adopt again, or delete "
        "Secret \"{2}\"; the other device stays in the tailnet until you delete it",
        key, own.new_name, own.old_name);
    if (!device.empty() && device != device_of(*old)) {
        own.problem =
            fmt::format("\"{}\" has joined as a new device, {}: {}", own.new_name, device, choice);
    } else if (device.empty() && auth != nullptr) {
        own.problem = fmt::format("\"{}\" was given a key of its own: {}", own.new_name, choice);
    }
    return own;
}

void plan_takeovers(const AdoptSnapshot& snapshot, AdoptPlan& plan) {
    std::set<std::string> targets;
    for (const Move& move : plan.moves) {
        targets.insert(move.new_name);
    }
    if (plan.own) {
        targets.insert(plan.own->set);
    }
    for (const Value& set : snapshot.sets) {
        const std::string set_name = name_of(set);
        // The state Secrets of a target belong to its move: the old pod may still run.
        if (controller::annotation_of(set, renderer::kContractAnnotation) !=
                renderer::kContractVersion ||
            targets.contains(set_name)) {
            continue;
        }
        for (const Value* secret : secrets_of(snapshot, set_name)) {
            if (controller::label_of(*secret, renderer::kSecretLabel).empty()) {
                const std::string name = name_of(*secret);
                plan.takeovers.push_back(
                    {name, set_name, device_names({secret}), leftover_of(snapshot, set, name)});
            }
        }
    }
}

}  // namespace

std::vector<std::string> services_that_name(const AdoptSnapshot& snapshot, std::string_view name,
                                            std::string_view ns) {
    const std::string start = fmt::format("{}.{}.svc.", name, ns);
    std::vector<std::string> out;
    for (const Value& service : snapshot.user_services) {
        if (text_of(service.at({"spec", "externalName"})).starts_with(start)) {
            out.push_back(fmt::format("{}/{}", text_of(service.at({"metadata", "namespace"})),
                                      name_of(service)));
        }
    }
    return out;
}

AdoptPlan plan_adoption(const AdoptSnapshot& snapshot) {
    AdoptPlan plan;
    for (const auto& [name, labels] : old_proxies(snapshot)) {
        plan.moves.push_back(plan_move(snapshot, labels, name));
    }
    for (const Value& deployment : snapshot.deployments) {
        if (is_operators_nameserver(deployment)) {
            Move& move = plan.moves.emplace_back();
            move.parent = parent_of(parent_labels(deployment));
            move.old_name = name_of(deployment);
            move.problem = kNotRendered;
        }
    }
    for (const Value& service : snapshot.services) {
        if (has_generated_name(service) &&
            !controller::label_of(service, renderer::label::kProxyGroup).empty()) {
            plan.services.push_back(plan_service(snapshot, service));
        }
    }
    plan.own = plan_own_device(snapshot);
    plan_takeovers(snapshot, plan);
    return plan;
}

std::vector<std::string> AdoptPlan::problems() const {
    std::vector<std::string> out;
    const auto add = [&out](const auto& entry) {
        if (!entry.problem.empty()) {
            out.push_back(fmt::format("{} ({}): {}", entry.parent, entry.old_name, entry.problem));
        }
    };
    std::for_each(moves.begin(), moves.end(), add);
    std::for_each(services.begin(), services.end(), add);
    if (own) {
        add(*own);
    }
    return out;
}

std::string describe(const AdoptPlan& plan) {
    std::vector<std::vector<std::string>> rows{{"PARENT", "FROM", "TO", "DEVICES"}};
    const auto note = [](const auto& entry, const std::string& devices) {
        return entry.problem.empty() ? devices : "left alone: " + entry.problem;
    };
    for (const Move& move : plan.moves) {
        rows.push_back({move.parent, move.old_name, move.new_name, note(move, move.devices)});
    }
    if (const auto& own = plan.own) {
        rows.push_back({own->parent, own->old_name, own->new_name, note(*own, own->devices)});
    }
    for (const GroupService& service : plan.services) {
        rows.push_back({service.parent, service.old_name, service.new_name, note(service, {})});
    }
    for (const Takeover& takeover : plan.takeovers) {
        rows.push_back({takeover.set, takeover.secret, takeover.secret, takeover.devices});
    }
    return table(rows);
}

}  // namespace runtime::adopt
