#include "runtime/operate/cleanup/clear_status.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "renderer/contract/annotations.h"
#include "runtime/controller/object_status/egress_status.h"
#include "runtime/controller/object_status/group_status.h"
#include "runtime/controller/object_status/proxy_status.h"
#include "runtime/controller/view/parents.h"

namespace runtime::operate {

using renderer::Value;

namespace {

bool is_served(const controller::Parent& parent, const Served& served) {
    const auto group = parent.annotations.find(renderer::annotation::kProxyGroup);
    return served.parents.contains(controller::contract_name(parent)) ||
           (group != parent.annotations.end() &&
            served.parents.contains("ProxyGroup/" + group->second));
}

// Returns the status without the content of `served`; no value if nothing has to be cleared.
std::optional<Value> cleared_status(const controller::Parent& parent, const Served& served,
                                    Time now) {
    controller::StatusChange change;
    if (is_served(parent, served)) {
        controller::StatusChange parts[] = {controller::unserved_status(parent, {}),
                                            controller::group_unserved_status(parent),
                                            controller::no_egress_status()};
        for (controller::StatusChange& part : parts) {
            change.conditions_to_remove.insert(change.conditions_to_remove.end(),
                                               part.conditions_to_remove.begin(),
                                               part.conditions_to_remove.end());
            for (auto& field : part.fields) {
                change.fields.push_back(std::move(field));
            }
        }
    }
    change.gone = served.places;
    const Value status = parent.status.unpack();
    Value cleared = controller::changed_status(status, change, parent.generation, now);
    return controller::same_status(cleared, status) ? std::nullopt
                                                    : std::optional(std::move(cleared));
}

struct Clearing {
    OperateContext context;
    ServedParent parent;
    Served served;
    int attempts = kConflicts;
};

void try_clear(const std::shared_ptr<Clearing>& it, const Next& next) {
    kube::Client& kube = it->context.kube;
    kube.get(it->parent.path, [it, &kube, next](const kube::Reply& reply) {
        const auto parent =
            reply.ok() ? controller::decode_parent(*it->parent.kind, reply.object) : std::nullopt;
        if (!parent) {
            return next(reply.not_found() ? std::string()
                                          : reply.problem("cannot read " + it->parent.name));
        }
        auto status = cleared_status(*parent, it->served, it->context.loop.now());
        if (!status) {
            return next({});
        }
        Value object = reply.object.clone();
        object.put("status", std::move(*status));
        kube.replace(it->parent.path + "/status", object, [it, next](const kube::Reply& written) {
            if (written.code == 409 && --it->attempts > 0) {
                return try_clear(it, next);
            }
            next(written.not_found()
                     ? std::string()
                     : written.problem("cannot clear the status of " + it->parent.name));
        });
    });
}

}  // namespace

std::vector<ServedParent> told_parents(const Objects& services, const Objects& ingresses,
                                       const Served& served) {
    std::vector<ServedParent> out;
    const auto add = [&](const renderer::Kind& kind, const Objects& objects) {
        for (const Value& object : objects) {
            const auto parent = controller::decode_parent(kind, object);
            if (parent && cleared_status(*parent, served, Time())) {
                out.push_back({.kind = &kind,
                               .name = controller::contract_name(*parent),
                               .path = kube::path_of(kind, parent->ns, parent->name)});
            }
        }
    };
    add(kube::kServices, services);
    add(kube::kIngresses, ingresses);
    return out;
}

Job clear_status(const OperateContext& context, const ServedParent& parent, Served served) {
    return [context, parent, served = std::move(served)](const Next& next) {
        try_clear(std::make_shared<Clearing>(Clearing{context, parent, served}), next);
    };
}

}  // namespace runtime::operate
