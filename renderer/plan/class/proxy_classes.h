// The ProxyClasses among the inputs: which one an object uses, and what is wrong with them. It
// records the users of each class, so that an error of a class is reported once, with all its
// users. Source: tailscale v1.96.5 cmd/k8s-operator/{proxyclass,sts,svc,ingress,connector}.go.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// The `spec.proxyClass` of an object.
struct ClassReference {
    std::string_view name;  // "" = none
    Pos pos;
};

class ProxyClasses {
public:
    // Fills plan.proxy_classes. The arguments must outlive this object.
    ProxyClasses(const load::Loaded& loaded, const classify::Inventory& inventory, Plan& plan);

    // Returns the class of a Service or an Ingress: by label, else by annotation, else the default
    // class. A key with an empty value means no class. Returns nullptr if it has none, or if the
    // class does not exist, which is reported.
    const ProxyClassPlan* of(const classify::ParentInput& user, Diagnostics& diagnostics);

    // Returns the class that an object names; the default class does not count.
    const ProxyClassPlan* named(const classify::ParentInput& user, const ClassReference& wanted,
                                Diagnostics& diagnostics);

    // Does the same, but returns the default class for an object that names none.
    const ProxyClassPlan* named_or_default(const classify::ParentInput& user,
                                           const ClassReference& wanted, Diagnostics& diagnostics);

    // Call it after all users were looked up: it reports what is wrong with classes that are
    // applied or used.
    void finish(Diagnostics& diagnostics);

private:
    struct Entry {
        const classify::CustomResource* input = nullptr;
        const ProxyClassPlan* plan = nullptr;
        std::vector<Note> users;
    };

    const ProxyClassPlan* use_default(const classify::ParentInput& user);
    const ProxyClassPlan* use(Entry& entry, const classify::ParentInput& user, Pos pos);

    const load::Loaded& loaded_;
    const Settings& settings_;
    std::map<std::string_view, Entry> by_name_;
    std::vector<Note> default_users_;  // users of a default class that does not exist
};

}  // namespace renderer::plan
