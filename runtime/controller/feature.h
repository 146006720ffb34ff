// Something that the controller does beside keys and devices: status, groups, records. A feature is
// a class in files of its own that gets the context in its constructor, adds the copies that it
// needs there (`context.view.follow`, cluster_view.h; Services, Ingresses, EndpointSlices of all
// namespaces, too), and is listed in features.cpp.
//
// `reconcile` is called when all copies are complete, after every change, and every ten seconds. It
// compares what should be with what is, and starts to write what differs; it returns at once. Where
// there may be thousands of things it looks only at what `changes` names, and at all of them when
// it says so: at first, and every ten minutes. What it writes must show in a copy before it is
// asked again, or it remembers that it is at it; `status`, `ledger` and `editor` see to that
// themselves. Nothing may be remembered that a restart could not find out again.
#pragma once

#include <memory>
#include <string>
#include <vector>

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
    StatusWriter& status;         // the one way to write `.status`
    Ledger& ledger;               // a key in our ConfigMap for what has to be remembered
    ObjectEditor& editor;         // for objects that others write, too
    ProblemOf problem_of;         // why a replica waits
    RemovalGuard& service_guard;  // of Tailscale Services
    std::string owner;            // marks what is this installation's in a tailnet
    std::string ingress_class;    // name of the one that is served
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

// One of each. The context's references outlive them.
std::vector<std::unique_ptr<Feature>> make_features(const FeatureContext& context);

}  // namespace runtime::controller
