#include "renderer/plan/class/proxy_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/kube/proxy_class_rules.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/proxy_class_checks.h"
#include "renderer/plan/class/read_proxy_class.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/parents.h"

namespace renderer::plan {

namespace {

struct PortsOfClass {
    const classify::CustomResource* input = nullptr;
    std::vector<ClassPort> ports;
};

// Reports the first port of the class that another class also has.
void check_clash(const PortsOfClass& taken, const std::vector<PortsOfClass>& others,
                 Diagnostics& diagnostics) {
    for (const ClassPort& port : taken.ports) {
        const auto other = std::ranges::find_if(
            others, [&](const PortsOfClass& one) { return overlaps(port, one.ports); });
        if (other == others.end()) {
            continue;
        }
        classify::about(*taken.input, diagnostics)
            .error("invalid-port-range", port.port_pos,
                   fmt::format("the ProxyClass \"{}\" also has this port", other->input->name))
            .found(fmt::format("\"{}\"", port_list(taken.ports)))
            .expected("ports that no other ProxyClass has")
            .note({.pos = other->ports.front().port_pos,
                   .object = other->input->doc->object_name(),
                   .text = fmt::format("it has {}", port_list(other->ports))});
        return;
    }
}

}  // namespace

ProxyClasses::ProxyClasses(const load::Loaded& loaded, const classify::Inventory& inventory,
                           Plan& plan)
    : loaded_(loaded), settings_(plan.settings) {
    const auto inputs = inventory.of(kind_of("ProxyClass"));
    plan.proxy_classes.reserve(inputs.size());
    for (const bool rendered : {false, true}) {  // applied classes replace facts of the same name
        for (const classify::CustomResource& input : inputs) {
            if (is_rendered(loaded, *input.doc) == rendered) {
                plan.proxy_classes.push_back(make_proxy_class(input));
                by_name_[input.name] = {&input, &plan.proxy_classes.back(), {}};
            }
        }
    }
}

const ProxyClassPlan* ProxyClasses::of(const classify::ParentInput& user,
                                       Diagnostics& diagnostics) {
    const Value* label = user.label(annotation::kProxyClass);
    const Value* chosen = label != nullptr ? label : user.annotation(annotation::kProxyClass);
    if (chosen == nullptr) {
        return use_default(user);
    }
    if (!chosen->is_string()) {
        return nullptr;  // reported together with its other labels and annotations
    }
    return named(user, {chosen->text(), chosen->pos()}, diagnostics);
}

const ProxyClassPlan* ProxyClasses::named(const classify::ParentInput& user,
                                          const ClassReference& wanted, Diagnostics& diagnostics) {
    if (wanted.name.empty()) {
        return nullptr;
    }
    const auto found = by_name_.find(wanted.name);
    if (found != by_name_.end()) {
        return use(found->second, user, wanted.pos);
    }
    std::vector<std::string_view> names;
    for (const auto& [name, entry] : by_name_) {
        names.push_back(name);
    }
    const std::string_view near = nearest(wanted.name, names);
    const std::string_view last = wanted.name.substr(wanted.name.rfind('/') + 1);
    const bool has_namespace = last != wanted.name && by_name_.contains(last);
    classify::about(user, diagnostics)
        .error("missing-proxy-class", wanted.pos,
               fmt::format("ProxyClass \"{}\" not found", wanted.name))
        .expected("the name of a ProxyClass in the inputs")
        .hint(has_namespace  ? fmt::format("ProxyClasses have no namespace: write \"{}\"", last)
              : near.empty() ? "fix the name, or pass its manifest with --context DIR"
                             : did_you_mean(near))
        .is_absence();
    return nullptr;
}

const ProxyClassPlan* ProxyClasses::named_or_default(const classify::ParentInput& user,
                                                     const ClassReference& wanted,
                                                     Diagnostics& diagnostics) {
    return wanted.name.empty() ? use_default(user) : named(user, wanted, diagnostics);
}

const ProxyClassPlan* ProxyClasses::use_default(const classify::ParentInput& user) {
    if (settings_.default_proxy_class.empty()) {
        return nullptr;
    }
    const auto found = by_name_.find(settings_.default_proxy_class);
    if (found != by_name_.end()) {
        return use(found->second, user, user.pos());
    }
    default_users_.push_back(
        {.pos = user.pos(), .object = user.doc->object_name(), .text = "uses the default class"});
    return nullptr;
}

const ProxyClassPlan* ProxyClasses::use(Entry& entry, const classify::ParentInput& user, Pos pos) {
    entry.users.push_back({.pos = pos, .object = user.doc->object_name(), .text = "uses it"});
    return entry.plan;
}

void ProxyClasses::finish(Diagnostics& diagnostics) {
    if (!default_users_.empty()) {
        diagnostics
            .error("missing-proxy-class", settings_.default_proxy_class_pos,
                   fmt::format("ProxyClass \"{}\" not found", settings_.default_proxy_class))
            .expected("the name of a ProxyClass in the inputs")
            .hint(
                "fix \"proxyConfig.defaultProxyClass\", or pass the class's manifest with "
                "--context DIR")
            .notes(std::move(default_users_))
            .is_absence();
    }
    std::vector<const Entry*> entries;
    for (const auto& [name, entry] : by_name_) {
        if (is_rendered(loaded_, *entry.input->doc) || !entry.users.empty()) {
            entries.push_back(&entry);
        }
    }
    std::ranges::sort(entries, {}, [](const Entry* entry) { return entry->input->pos(); });
    std::vector<PortsOfClass> sound;
    for (const Entry* entry : entries) {
        Diagnostics found;
        check_custom_resource(*entry->input, found);
        check_proxy_class(*entry->input, settings_, found);
        PortsOfClass taken{entry->input, class_ports(entry->input->spec)};
        if (!found.has_errors()) {
            check_clash(taken, sound, found);
        }
        if (!found.has_errors() && !taken.ports.empty()) {
            sound.push_back(std::move(taken));
        }
        bool first = true;
        for (Diagnostic one : found.all()) {
            if (one.severity == Severity::Error && std::exchange(first, false)) {
                // The first error also lists the users of the class.
                one.notes.insert(one.notes.end(), entry->users.begin(), entry->users.end());
            }
            diagnostics.add(std::move(one));
        }
    }
}

}  // namespace renderer::plan
