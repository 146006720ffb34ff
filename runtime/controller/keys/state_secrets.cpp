#include "runtime/controller/keys/state_secrets.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/base/json_patch.h"
#include "runtime/controller/keys/key_delivery.h"
#include "runtime/controller/keys/secrets.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

std::string uid_of(const Value& object) {
    return std::string(text_of(object.at({"metadata", "uid"})));
}

bool is_its_secret(const StateOwner& owner, const Value& found) {
    return owner.has_auth || (!owner.uid.empty() && uid_of(found) == owner.uid);
}

// Replaces the metadata with ours, because what a pod has put there may leave no room for it. If
// the Secret was the operator's, the record of that stays, and its owners, which `adopt` handles.
Value restoring(const Value& found, const Value& made) {
    const bool is_taken =
        text_of(found.at({"metadata", "annotations", renderer::kTakenAnnotation})) == "true";
    Value annotations = made.at({"metadata", "annotations"})->clone();
    put_if(annotations, is_taken, Value(renderer::kTakenAnnotation), "true");
    Value operations =
        Value::list({operation("test", "/metadata/uid", Value(uid_of(found))),
                     operation("add", "/metadata/labels", made.at({"metadata", "labels"})->clone()),
                     operation("add", "/metadata/annotations", std::move(annotations))});
    for (const std::string_view field : {"finalizers", "ownerReferences"}) {
        if (!is_taken && found.at({"metadata", field}) != nullptr) {
            operations.append(removal(fmt::format("/metadata/{}", field)));
        }
    }
    return operations;
}

}  // namespace

Job StateSecrets::look(const StateOwner& owner) {
    return [this, owner](const Next& next) {
        kube_.get(path(owner), [this, owner, next](const kube::Reply& reply) {
            if (reply.ok()) {
                written_.put(reply.object);  // the copy is out of date
            }
            next(reply.not_found() ? not_rendered(api_ns_, owner.pod)
                                   : reply.problem("cannot read the state Secret"));
        });
    };
}

Job StateSecrets::empty(const StateOwner& owner) {
    return [this, owner](const Next& next) {
        kube_.json_patch(path(owner), Value::list({operation("add", "/data", Value::map())}),
                         [this, next](const kube::Reply& reply) {
                             if (reply.ok()) {
                                 written_.put(reply.object);
                             }
                             next(reply.not_found()
                                      ? std::string()
                                      : reply.problem("cannot empty the state Secret"));
                         });
    };
}

Job StateSecrets::create(const StateOwner& owner) {
    if (owner.is_apart) {
        return look(owner);
    }
    return [this, owner](const Next& next) {
        const Value made = state_secret(ns_, owner.pod, owner.set, owner.tailnet, owner.labels);
        kube_.create(kube::path_of(kube::kSecrets, ns_), made,
                     [this, owner, next](const kube::Reply& reply) {
                         if (reply.ok()) {
                             written_.put(reply.object);
                         }
                         if (reply.code != 409) {
                             return next(reply.problem("cannot create the state Secret"));
                         }
                         if (!owner.has_auth) {
                             return next(fmt::format(
                                 "Secret \"{}\" exists and belongs to another user or controller",
                                 owner.pod));
                         }
                         kube_.get(path(owner), [this, owner, next](const kube::Reply& found) {
                             found.ok() ? restore(owner, found.object, next)
                                        : next(found.problem("cannot read the state Secret"));
                         });
                     });
    };
}

void StateSecrets::restore(const StateOwner& owner, const Value& found, const Next& next) {
    if (text_of(found.at({"metadata", "labels", renderer::kSecretLabel})) ==
        renderer::kStateSecret) {
        written_.put(found);  // the copy is out of date
        return next({});
    }
    const Value made = state_secret(ns_, owner.pod, owner.set, owner.tailnet, owner.labels);
    kube_.json_patch(
        path(owner), restoring(found, made), [this, owner, next](const kube::Reply& reply) {
            if (reply.ok()) {
                written_.put(reply.object);
                written_.tell(
                    owner.parent,
                    {kube::EventType::Warning, "StateSecretRestored",
                     fmt::format(
                         "{}: its state Secret had lost its label \"{}\", which only its pod or a "
                         "user can have removed; its labels and annotations were restored",
                         owner.pod, renderer::kSecretLabel)});
            }
            next(reply.problem("cannot restore the state Secret"));
        });
}

Job StateSecrets::mark(const StateOwner& owner, const std::string& gone_since) {
    return [this, owner, gone_since](const Next& next) {
        Value made = state_secret(ns_, owner.pod, owner.set, owner.tailnet, owner.labels);
        Value annotations = made.at({"metadata", "annotations"})->clone();
        put_if(annotations, !gone_since.empty(), Value(renderer::kGoneAnnotation),
               Value(gone_since));
        kube_.json_patch(
            path(owner),
            Value::list({operation("test", "/metadata/uid", Value(owner.uid)),
                         operation("add", "/metadata/annotations", std::move(annotations))}),
            [this, next](const kube::Reply& reply) {
                if (reply.ok()) {
                    written_.put(reply.object);
                }
                next(reply.problem("cannot annotate the state Secret"));
            });
    };
}

Job StateSecrets::let_go(const StateOwner& owner) {
    return [this, owner](const Next& next) {
        take_finalizers(path(owner), owner.uid, [this, owner, next](const std::string& problem) {
            if (problem.empty()) {
                tell_erased(owner);
            }
            next(problem);
        });
    };
}

void StateSecrets::take_finalizers(const std::string& path, const std::string& uid,
                                   const Next& next) {
    kube_.json_patch(path,
                     Value::list({operation("test", "/metadata/uid", Value(uid)),
                                  removal("/metadata/finalizers")}),
                     [next](const kube::Reply& reply) {
                         next(reply.not_found()
                                  ? std::string()
                                  : reply.problem("cannot remove finalizers of a state Secret"));
                     });
}

Job StateSecrets::erase(const StateOwner& owner) {
    if (owner.is_apart) {
        return in_order({empty(owner), erase_leftover(owner)});
    }
    return [this, owner](const Next& next) {
        kube_.get(path(owner), [this, owner, next](const kube::Reply& reply) {
            if (reply.not_found() || (reply.ok() && !is_its_secret(owner, reply.object))) {
                tell_erased(owner);
                return next({});
            }
            reply.ok() ? erase_found(owner, reply.object, next)
                       : next(reply.problem("cannot read the state Secret"));
        });
    };
}

Job StateSecrets::erase_leftover(StateOwner owner) {
    owner.is_apart = false;
    return erase(owner);
}

// Finalizers are read while it is being deleted, because none can be added from then on.
void StateSecrets::erase_found(const StateOwner& owner, const Value& found, const Next& next) {
    const std::string uid = uid_of(found);
    kube_.erase(path(owner), {.uid = uid}, [this, owner, uid, next](const kube::Reply& reply) {
        if (!reply.ok() && !reply.not_found()) {
            return next(reply.problem(fmt::format("cannot delete Secret \"{}\"", owner.pod)));
        }
        kube_.get(path(owner), [this, owner, uid, next](const kube::Reply& left) {
            const bool is_held = left.ok() && uid_of(left.object) == uid &&
                                 left.object.at({"metadata", "finalizers"}) != nullptr;
            const auto done = [this, owner, next](const std::string& problem) {
                if (problem.empty()) {
                    tell_erased(owner);
                }
                next(problem);
            };
            is_held ? take_finalizers(path(owner), uid, done)
                    : done(left.ok() || left.not_found()
                               ? std::string()
                               : left.problem("cannot read the state Secret"));
        });
    });
}

void StateSecrets::tell_erased(const StateOwner& owner) {
    written_.erased(Value::map(
        {{"metadata",
          Value::map({{"name", owner.pod}, {"namespace", owner.is_apart ? api_ns_ : ns_}})}}));
}

}  // namespace runtime::controller
