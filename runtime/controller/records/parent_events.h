// Events about parents of proxies, or about the installation.
#pragma once

#include <string_view>

#include "runtime/controller/keys/take_over.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/view/parents.h"
#include "runtime/controller/view/replicas.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

class ParentEvents {
public:
    // All references outlive it.
    ParentEvents(kube::Events& events, const Ledger& ledger, const Parents& parents)
        : events_(events), ledger_(ledger), parents_(parents) {}

    // `parent` is empty if the parent was deleted: then it is about the installation.
    void tell(std::string_view parent, const ParentEvent& event) {
        events_.post(reference(parent), event.type, event.reason, event.message);
    }
    [[nodiscard]] kube::ObjectRef reference(std::string_view parent) const {
        return parent.empty() ? ledger_.reference() : parents_.reference(parent);
    }
    [[nodiscard]] kube::ObjectRef reference(const Replica& replica) const {
        return reference(replica.set == nullptr ? std::string_view() : replica.set->parent.view());
    }

private:
    kube::Events& events_;
    const Ledger& ledger_;
    const Parents& parents_;
};

}  // namespace runtime::controller
