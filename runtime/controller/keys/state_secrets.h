// What the controller does with state Secrets. Their pods write them, labels, annotations,
// finalizers and owners included, so each is found by its name, and whose it is says the auth
// Secret, which no pod writes; the label alone tells the watch of it.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/jobs.h"
#include "runtime/controller/keys/take_over.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

// Where objects that we wrote, or deleted, are reported to.
struct Written {
    std::function<void(const renderer::Value& secret)> put;
    std::function<void(const renderer::Value& secret)> erased;
    // An empty parent: the one that it was for is gone.
    std::function<void(const std::string& parent, const ParentEvent& event)> tell;
};

// Whose state Secret it is.
struct StateOwner {
    std::string pod, set, parent;
    std::string tailnet, labels;  // as the state Secret shall have them
    std::string uid;              // of the one that is known by its label; empty: none is
    bool has_auth = false;        // which proves that what is called after the pod is ours
    bool is_apart = false;        // it is rendered, in the API proxy's own namespace
};

class StateSecrets {
public:
    // The client outlives it. `api_ns` is the namespace of state Secrets that are apart.
    StateSecrets(kube::Client& kube, std::string ns, std::string api_ns, Written written)
        : kube_(kube),
          ns_(std::move(ns)),
          api_ns_(std::move(api_ns)),
          written_(std::move(written)) {}

    // Or makes the one that is there what it was, if it is ours; an Event says so. A state
    // Secret that is apart is rendered, so it has to exist.
    Job create(const StateOwner& owner);
    // Its mark (kGoneAnnotation) when there is no auth Secret that could have it; empty: taken off.
    Job mark(const StateOwner& owner, const std::string& gone_since);
    // One that is being deleted, and kept by finalizers.
    Job let_go(const StateOwner& owner);
    // A state Secret that is apart is emptied, because it is rendered.
    Job erase(const StateOwner& owner);
    // Erases what one that is apart has left in the controller's namespace.
    Job erase_leftover(StateOwner owner);
    [[nodiscard]] std::string path(const StateOwner& owner) const {
        return kube::path_of(kube::kSecrets, owner.is_apart ? api_ns_ : ns_, owner.pod);
    }

private:
    Job look(const StateOwner& owner);
    Job empty(const StateOwner& owner);
    void restore(const StateOwner& owner, const renderer::Value& found, const Next& next);
    void take_finalizers(const std::string& path, const std::string& uid, const Next& next);
    void erase_found(const StateOwner& owner, const renderer::Value& found, const Next& next);
    void tell_erased(const StateOwner& owner);

    kube::Client& kube_;
    std::string ns_, api_ns_;
    Written written_;
};

}  // namespace runtime::controller
