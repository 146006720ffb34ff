// The ProxyClasses among the inputs: which one an object uses, and what is wrong with them.
// Remembers who asked, so that a fault of a class is one error that lists all who depend on it.
// Source: tailscale v1.96.5 cmd/k8s-operator/{proxyclass,sts,svc,ingress,connector}.go.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// What an object says as `spec.proxyClass`.
struct ClassWish {
    std::string_view name;  // "" = none
    Pos pos;
};

class ProxyClasses {
public:
    // Fills plan.proxy_classes. All of them must outlive this.
    ProxyClasses(const Loaded& loaded, const Inventory& inventory, Plan& plan);

    // The class of a Service or an Ingress: by label, else by annotation, else the default class. A
    // key with an empty value asks for none. nullptr: none, or (reported) one that does not exist.
    const ProxyClassPlan* of(const ParentInput& user, Diagnostics& diagnostics);

    // The class that an object names itself; the default class does not count.
    const ProxyClassPlan* named(const ParentInput& user, const ClassWish& wish,
                                Diagnostics& diagnostics);

    // The same, but the default class counts for an object that names none.
    const ProxyClassPlan* named_or_default(const ParentInput& user, const ClassWish& wish,
                                           Diagnostics& diagnostics);

    // Once all users have asked: reports what is wrong with the classes that an applier sees or
    // that someone uses.
    void finish(Diagnostics& diagnostics);

private:
    struct Entry {
        const CustomResource* input = nullptr;
        const ProxyClassPlan* plan = nullptr;
        std::vector<Note> users;
    };

    const ProxyClassPlan* use_default(const ParentInput& user);
    const ProxyClassPlan* use(Entry& entry, const ParentInput& user, Pos pos);

    const Loaded& loaded_;
    const Settings& settings_;
    std::map<std::string_view, Entry> by_name_;
    std::vector<Note> default_users_;  // of a default class that does not exist
};

}  // namespace renderer
