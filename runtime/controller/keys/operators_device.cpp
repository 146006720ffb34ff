#include "runtime/controller/keys/operators_device.h"

#include <fmt/format.h>

#include "renderer/contract/labels.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

Job must_not_come_beside_the_operator(kube::Client& kube, std::string_view labels,
                                      std::string_view parent, bool is_apart) {
    if (find_label(labels, renderer::label::kParentType) != renderer::label::kApiProxyType) {
        return [](const Next& next) { next({}); };
    }
    const std::size_t begin = parent.find('/');
    const std::size_t end = parent.rfind('/');
    const std::string ns(parent.substr(begin + 1, end - begin - 1));
    const std::string name(parent.substr(end + 1));
    const std::string_view way_on =
        is_apart ? "delete the Secret and the device; `tailrender-adopt` moves it only "
                   "without tailrender.apiProxyNamespace"
                 : "`tailrender-adopt` moves it here; or delete the Secret and the device";
    return [&kube, ns, name, way_on](const Next& next) {
        kube.get(kube::path_of(kube::kSecrets, ns, name), [name, way_on,
                                                           next](const kube::Reply& reply) {
            if (!reply.ok()) {
                return next(reply.not_found() ? std::string()
                                              : reply.problem("cannot read the operator's Secret"));
            }
            next(read_state(reply.object).device().empty()
                     ? std::string()
                     : fmt::format("Secret \"{}\" has the operator's own device, which has this "
                                   "name in the tailnet: {}",
                                   name, way_on));
        });
    };
}

}  // namespace runtime::controller
