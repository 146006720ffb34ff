// The versions of Tailscale's image that the objects work with. The operator accepts proxies of up
// to four releases behind its own; releases have even minor numbers. All differences between
// versions are in one table. Tags without a version (`stable`, a branch) and digests are accepted.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/release.h"

namespace renderer::plan {

// Checks the image of all proxies, and images named "tailscale" or "k8s-proxy" of ProxyClasses.
void check_versions(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics);

}  // namespace renderer::plan
