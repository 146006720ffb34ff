#include "runtime/operate/apart.h"

#include <utility>

#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "runtime/operate/operator_deployment.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

Job add_one(kube::Client& kube, const std::string& path, Objects& out, std::string* refusal) {
    return [&kube, path, &out, refusal](const Next& next) {
        kube.get(path, [path, &out, refusal, next](const kube::Reply& reply) {
            if (reply.ok()) {
                const std::string name(text_of(reply.object.at({"metadata", "name"})));
                std::erase_if(out, [&name](const Value& one) {
                    return text_of(one.at({"metadata", "name"})) == name;
                });
                out.push_back(reply.object.clone());
            }
            if (reply.ok() || reply.not_found()) {
                return next({});
            }
            const std::string problem = reply.problem("cannot read " + path);
            if (reply.code == 403 && refusal != nullptr) {
                *refusal = problem;
                return next({});
            }
            next(problem);
        });
    };
}

}  // namespace

Job add_apart(kube::Client& kube, const Objects& deployments, Objects& sets, Objects& pods,
              std::string* refusal) {
    return [&kube, &deployments, &sets, &pods, refusal](const Next& next) {
        const std::string ns = api_namespace_of(find_controller(deployments));
        if (ns.empty()) {
            return next({});
        }
        run_in_order(
            {add_one(kube, kube::path_of(kube::kStatefulSets, ns, renderer::kApiProxyName), sets,
                     refusal),
             add_one(kube, kube::path_of(kube::kPods, ns, renderer::kApiProxyPod), pods, refusal)},
            next);
    };
}

}  // namespace runtime::operate
