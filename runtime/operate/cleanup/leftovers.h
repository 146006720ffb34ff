// Removes objects that would stay forever after an uninstall: finalizers of the operator, which
// block the deletion of users' objects, and the Secret of the accounts at the ACME server, which
// also has such a finalizer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "renderer/kube/kinds.h"
#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

struct HeldObject {
    std::string name;  // Kind/namespace/name
    std::string path;
};

// Lists the Services, Ingresses and custom resources of all namespaces that have such finalizers.
// `out` outlives the job.
Job list_held(const OperateContext& context, std::vector<HeldObject>& out);
Job let_go(const OperateContext& context, const HeldObject& held);
// Removes all finalizers from a Secret of ours if it is being deleted. Its pod may have added one;
// Kubernetes lets it add no other after the deletion has begun.
Job let_end(const OperateContext& context, const std::string& secret);

// Returns the number of accounts in the Secret of ACME accounts.
std::size_t accounts_in(const renderer::Value& secret);
Job remove_accounts(const OperateContext& context);

}  // namespace runtime::operate
