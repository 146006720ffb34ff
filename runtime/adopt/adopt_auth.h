// The auth Secret of a replica that is moved. It lets the pod start, and by it the controller
// recognizes the state Secret of that pod as its own, whatever labels that has. So it is created
// with all its notes, and a rollback removes the controller's label from it first.
#pragma once

#include <string>

#include "runtime/controller/view/objects.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::adopt {

// Creates a blank auth Secret for a `pod` that has a device: it needs the file, but no key. Notes
// on it that the device of `old_secret` is the new replica's, whatever tags the device is to have
// now: nothing that a pod of the new name writes could prove that. The controller itself creates
// the auth Secret of an API proxy.
Job let_start(const operate::OperateContext& context, const controller::ProxySet& set,
              const std::string& old_secret, const std::string& pod);

// Takes the auth Secret from the controller, which then neither reads it nor creates another one.
// Pods of the operator that have the same name keep using it, and so does the next adoption.
Job let_go_of_auth(const operate::OperateContext& context, const std::string& pod);

// Returns the patch that removes our label; null if the Secret does not have it.
renderer::Value without_our_label(const renderer::Value& secret);

}  // namespace runtime::adopt
