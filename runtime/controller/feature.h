// A task of the controller besides keys and devices: status, groups, records. A feature is a class
// in its own files. Its constructor gets the context and adds the copies that it needs
// (`context.view.follow`, cluster_view.h; also Services, Ingresses, EndpointSlices of all
// namespaces). It is listed in features.cpp.
//
// `reconcile` is called when all copies are complete, after every change, and every ten seconds. It
// compares the desired with the actual state and starts to write the differences; it returns at
// once. Where there may be thousands of objects, it looks only at those that `changes` names, and
// at all of them if `changes` says so: at first, and every ten minutes. A write must show in a copy
// before the next call, or the feature remembers that it is in progress; `status`, `ledger` and
// `editor` do that themselves. A feature may only remember what it can find out again after a
// restart.
#pragma once

#include <string>

#include "runtime/base/resolver.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/controller/object_status/status_writer.h"
#include "runtime/controller/records/devices.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/records/removal_guard.h"
#include "runtime/controller/view/cluster_view.h"
#include "runtime/controller/view/parents.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

struct FeatureContext {
    Loop& loop;
    Resolver& resolver;
    kube::Client& kube;
    Log& log;
    RandomSource& random;
    ClusterView& view;
    Tailnets& tailnets;
    kube::Events& events;
    Parents& parents;             // users' Services, Ingresses and custom resources
    StatusWriter& status;         // the only way to write `.status`
    Ledger& ledger;               // our ConfigMap, with a key for what must be remembered
    ObjectEditor& editor;         // for objects that others also write
    ProblemOf problem_of;         // why a replica is blocked
    RemovalGuard& service_guard;  // of Tailscale Services
    std::string owner;            // marks this installation's objects in a tailnet
    std::string ingress_class;    // name of the class that is served
    Duration cleanup_delay;
};

class Feature {
public:
    Feature() = default;
    Feature(const Feature&) = delete;
    Feature& operator=(const Feature&) = delete;
    virtual ~Feature() = default;

    virtual void reconcile(const Changes& changes) = 0;
};

}  // namespace runtime::controller
