#include "renderer/plan/class/proxy_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/proxy_class_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/parents.h"

namespace renderer {

namespace {

// About the first port of the class that one of the others has, too.
void check_clash(const ProxyClassInput& input, const std::vector<const ProxyClassInput*>& others,
                 Diagnostics& diagnostics) {
    for (const ClassPort& port : input.ports) {
        const auto other = std::ranges::find_if(
            others, [&](const ProxyClassInput* one) { return overlaps(port, one->ports); });
        if (other == others.end()) {
            continue;
        }
        const ProxyClassInput& clashing = **other;
        about(input, diagnostics)
            .error("invalid-port-range", port.port_pos,
                   fmt::format("the ProxyClass \"{}\" also has this port", clashing.name))
            .found(fmt::format("\"{}\"", port_list(input.ports)))
            .expected("ports that no other ProxyClass has")
            .note({.pos = clashing.ports.front().port_pos,
                   .object = clashing.doc->object_name(),
                   .text = fmt::format("it has {}", port_list(clashing.ports))});
        return;
    }
}

}  // namespace

ProxyClasses::ProxyClasses(const Loaded& loaded, const Inventory& inventory, Plan& plan)
    : loaded_(loaded), settings_(plan.settings) {
    plan.proxy_classes.reserve(inventory.proxy_classes.size());
    for (const bool rendered : {false, true}) {  // what an applier sees wins over facts
        for (const ProxyClassInput& input : inventory.proxy_classes) {
            if (is_rendered(loaded, *input.doc) == rendered) {
                plan.proxy_classes.push_back(make_proxy_class(input));
                by_name_[input.name] = {&input, &plan.proxy_classes.back(), {}};
            }
        }
    }
}

const ProxyClassPlan* ProxyClasses::of(const ParentInput& user, Diagnostics& diagnostics) {
    const Value* label = user.label(kProxyClass);
    const Value* chosen = label != nullptr ? label : user.annotation(kProxyClass);
    if (chosen == nullptr) {
        return use_default(user);
    }
    if (!chosen->is_string()) {
        return nullptr;  // reported with the object's other labels and annotations
    }
    return named(user, {chosen->text(), chosen->pos()}, diagnostics);
}

const ProxyClassPlan* ProxyClasses::named(const ParentInput& user, const ClassWish& wish,
                                          Diagnostics& diagnostics) {
    if (wish.name.empty()) {
        return nullptr;
    }
    const auto found = by_name_.find(wish.name);
    if (found != by_name_.end()) {
        return use(found->second, user, wish.pos);
    }
    about(user, diagnostics)
        .error("missing-proxy-class", wish.pos,
               fmt::format("ProxyClass \"{}\" not found", wish.name))
        .expected("the name of a ProxyClass in the inputs")
        .hint("fix the name, or pass its manifest with --context DIR")
        .is_absence();
    return nullptr;
}

const ProxyClassPlan* ProxyClasses::named_or_default(const ParentInput& user, const ClassWish& wish,
                                                     Diagnostics& diagnostics) {
    return wish.name.empty() ? use_default(user) : named(user, wish, diagnostics);
}

const ProxyClassPlan* ProxyClasses::use_default(const ParentInput& user) {
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

const ProxyClassPlan* ProxyClasses::use(Entry& entry, const ParentInput& user, Pos pos) {
    entry.users.push_back({.pos = pos, .object = user.doc->object_name(), .text = "uses it"});
    return entry.plan;
}

Diagnostics ProxyClasses::check(const Entry& entry,
                                const std::vector<const ProxyClassInput*>& sound) const {
    Diagnostics found;
    check_custom_resource(*entry.input, found);
    check_proxy_class(*entry.input, settings_, found);
    if (!found.has_errors()) {
        check_clash(*entry.input, sound, found);
    }
    return found;
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
    std::vector<const ProxyClassInput*> sound;
    for (const Entry* entry : entries) {
        const Diagnostics found = check(*entry, sound);
        if (!found.has_errors() && !entry->input->ports.empty()) {
            sound.push_back(entry->input);
        }
        bool first = true;
        for (Diagnostic one : found.all()) {
            if (one.severity == Severity::Error && std::exchange(first, false)) {
                // It stands for its dependents, too.
                one.notes.insert(one.notes.end(), entry->users.begin(), entry->users.end());
            }
            diagnostics.add(std::move(one));
        }
    }
}

}  // namespace renderer
