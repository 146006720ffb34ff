// What `cleanup` takes off the status of users' Services and Ingresses: conditions and addresses of
// what is removed. The controller would do so once their proxies are gone, but it does not run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

// By what is removed.
struct Served {
    std::set<std::string> parents;  // "Service/apps/web", or "ProxyGroup/out" for all in a group
    std::set<std::string> places;   // names and addresses in the tailnets
};

struct ServedParent {
    const renderer::Kind* kind;
    std::string name;  // "Service/apps/web"
    std::string path;
};

// Those whose status tells something of `served`.
std::vector<ServedParent> told_parents(const Objects& services, const Objects& ingresses,
                                       const Served& served);

// What others have written stays.
Job clear_status(const OperateContext& context, const ServedParent& parent, Served served);

}  // namespace runtime
