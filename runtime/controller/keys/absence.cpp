#include "runtime/controller/keys/absence.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/controller/view/objects.h"

namespace runtime::controller {

namespace {

Job set_must_be_absent(kube::Client& kube, const std::string& ns, const Whereabouts& replica) {
    return [&kube, ns, replica](const Next& next) {
        kube.get(kube::path_of(kube::kStatefulSets, ns, replica.set),
                 [replica, next](const kube::Reply& reply) {
                     if (reply.not_found()) {
                         return next({});
                     }
                     if (!reply.ok()) {
                         return next(reply.problem("cannot read the StatefulSet"));
                     }
                     const auto set = decode_proxy_set(reply.object);
                     const bool wanted = set.has_value() && !set->contract.empty() &&
                                         replica.ordinal < set->replicas;
                     next(wanted ? fmt::format("StatefulSet \"{}\" exists after all", replica.set)
                                 : std::string());
                 });
    };
}

}  // namespace

Job must_be_absent(kube::Client& kube, const std::string& path, const std::string& otherwise) {
    return [&kube, path, otherwise](const Next& next) {
        kube.get(path, [path, otherwise, next](const kube::Reply& reply) {
            if (reply.ok()) {
                return next(otherwise);
            }
            next(reply.not_found() ? std::string()
                                   : reply.problem(fmt::format("cannot read {}", path)));
        });
    };
}

Job replica_must_be_absent(kube::Client& kube, const Whereabouts& replica) {
    std::vector<Job> jobs;
    for (const std::string& ns : replica.namespaces) {
        jobs.push_back(must_be_absent(kube, kube::path_of(kube::kPods, ns, replica.pod),
                                      fmt::format("pod \"{}\" exists after all", replica.pod)));
        jobs.push_back(set_must_be_absent(kube, ns, replica));
    }
    return in_order(std::move(jobs));
}

}  // namespace runtime::controller
