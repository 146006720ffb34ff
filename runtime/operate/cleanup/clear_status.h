// Removes the conditions, names and addresses of removed proxies from the status of users' Services
// and Ingresses, for `cleanup`. The controller would do so after the proxies are deleted, but it
// does not run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

// The parents of the removed proxies, and their names and addresses in the tailnets.
struct Served {
    std::set<std::string> parents;  // "Service/apps/web", or "ProxyGroup/out" for all in a group
    std::set<std::string> places;   // names and addresses in the tailnets
};

struct ServedParent {
    const renderer::Kind* kind;
    std::string name;  // "Service/apps/web"
    std::string path;
};

// Returns the parents whose status still contains something of `served`.
std::vector<ServedParent> told_parents(const Objects& services, const Objects& ingresses,
                                       const Served& served);

// Clears the status of a parent. Conditions and addresses that others have written stay.
Job clear_status(const OperateContext& context, const ServedParent& parent, Served served);

}  // namespace runtime::operate
