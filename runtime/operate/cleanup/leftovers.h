// What would stay for ever after an uninstall: finalizers of the operator's, which hold objects of
// users when they are deleted, and the Secret of the accounts at the ACME server, which one holds,
// too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "renderer/kube/kinds.h"
#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

struct HeldObject {
    std::string name;  // Kind/namespace/name
    std::string path;
};

// Services, Ingresses and custom resources of all namespaces. `out` outlives the job.
Job list_held(const OperateContext& context, std::vector<HeldObject>& out);
Job let_go(const OperateContext& context, const HeldObject& held);
// A Secret of ours that is being deleted, and kept by finalizers: its pod may have put one on it,
// and can put none on it any more.
Job let_end(const OperateContext& context, const std::string& secret);

// How many there are in the Secret of ACME accounts.
std::size_t accounts_in(const renderer::Value& secret);
Job remove_accounts(const OperateContext& context);

}  // namespace runtime
