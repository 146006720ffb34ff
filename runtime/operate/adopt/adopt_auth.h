// The auth Secret of a replica that is moved. With it the pod may start, and by it the controller
// knows that the state Secret of that name is its own, whatever labels that has: so it comes with
// all that is to be noted, and on the way back it is the first to lose the controller's label.
#pragma once

#include <string>

#include "runtime/controller/view/objects.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

// Makes a blank one for a device that `pod` has: that needs no key, only the file. By our word the
// device that was brought from `old_secret` is the new replica's, whatever tags it is to have now:
// nothing that a pod of the new name writes could prove that. What an API proxy waits for is the
// controller's to make.
Job let_start(const OperateContext& context, const ProxySet& set, const std::string& old_secret,
              const std::string& pod);

// The controller neither reads it any more nor makes another one. Where pods of the operator have
// the same name they go on with it; the next adoption goes on with it, too.
Job let_go_of_auth(const OperateContext& context, const std::string& pod);

// What to patch; null: it is not ours (any more).
renderer::Value without_our_label(const renderer::Value& secret);

}  // namespace runtime
