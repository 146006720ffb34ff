#include "renderer/generate/install/tailnets.h"

#include "renderer/contract/tailnet_config.h"

namespace renderer::generate {

void generate_tailnets(const plan::Plan& plan, Objects& objects) {
    for (const plan::TailnetPlan& tailnet : plan.tailnets) {
        objects.push_back(
            {.root = tailnet_map(tailnet.ns, tailnet.name, tailnet.login_url, tailnet.secret),
             .origin = tailnet.origin,
             .bundle = tailnet.bundle,
             .generator = "tailnets"});
    }
}

}  // namespace renderer::generate
