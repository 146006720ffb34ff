// Creates, restores and deletes state Secrets. Their pods write them, with labels, annotations,
// finalizers and owners. So each is found by its name, and its owner by the auth Secret, which no
// pod writes; only the watch relies on the label.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/jobs.h"
#include "runtime/controller/keys/take_over.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

// Is called for objects that the controller has written or deleted.
struct Written {
    std::function<void(const renderer::Value& secret)> put;
    std::function<void(const renderer::Value& secret)> erased;
    // `parent` is empty if the parent was deleted.
    std::function<void(const std::string& parent, const ParentEvent& event)> tell;
};

// The owner of a state Secret.
struct StateOwner {
    std::string pod, set, parent;
    std::string tailnet, labels;  // that the state Secret must have
    std::string uid;              // of the Secret that was found by its label; empty: none
    bool has_auth = false;        // it proves that a Secret named after the pod is ours
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

    // Creates it, or restores the existing one if it is ours, with an Event. A state Secret that is
    // apart is rendered, so it must exist.
    Job create(const StateOwner& owner);
    // Sets its mark (kGoneAnnotation) if there is no auth Secret for it; empty removes it.
    Job mark(const StateOwner& owner, const std::string& gone_since);
    // Releases a state Secret that is being deleted, but has finalizers.
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
