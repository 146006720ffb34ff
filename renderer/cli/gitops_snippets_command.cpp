#include <map>
#include <string_view>

#include "renderer/cli/commands.h"

namespace renderer::cli {
namespace {

constexpr std::string_view kArgo =
    R"(# Argo CD: what to add so that rendered output is applied without drift and loops.
#
# That is all: our objects need no ignoreDifferences, no compare-options, no sync waves. Nothing in
# the cluster writes to a rendered field; the controller writes status, and Secrets, ConfigMaps and
# Leases of its own, which no application tracks. selfHeal is safe. Only the
# namespace is protected from pruning, by its own annotation.
---
# The Application, or the template of the ApplicationSet: one for each bundle of the rendered tree.
apiVersion: argoproj.io/v1alpha1
kind: Application
spec:
  syncPolicy:
    automated:
      # Otherwise a device stays reachable after its source was deleted.
      prune: true
    syncOptions:
    # What others own, such as the status or a webhook's fields, stays theirs.
    - ServerSideApply=true
---
# With "render . --only generated -o tailscale/rendered": one more Application, and the others stay as
# they are. Its folder may hold the controller, too (examples/argocd).
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: tailscale
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://git.example.com/acme/home.git
    path: tailscale
  destination:
    server: https://kubernetes.default.svc
    namespace: tailscale
  syncPolicy:
    automated:
      prune: true
    syncOptions:
    - ServerSideApply=true
---
# The AppProject, only where it limits what an Application may make.
apiVersion: argoproj.io/v1alpha1
kind: AppProject
spec:
  destinations:
  # Proxies live in the controller's namespace, wherever the Application itself goes.
  - name: "*"
    namespace: tailscale
  clusterResourceWhitelist:
  - {group: "", kind: Namespace}
  - {group: admissionregistration.k8s.io, kind: ValidatingAdmissionPolicy}
  - {group: admissionregistration.k8s.io, kind: ValidatingAdmissionPolicyBinding}
  - {group: networking.k8s.io, kind: IngressClass}
  - {group: rbac.authorization.k8s.io, kind: ClusterRole}
  - {group: rbac.authorization.k8s.io, kind: ClusterRoleBinding}
  # With "customResources: emit":
  - {group: apiextensions.k8s.io, kind: CustomResourceDefinition}
  - {group: tailscale.com, kind: "*"}
)";

constexpr std::string_view kFlux =
    R"(# Flux: what to add so that rendered output is applied without drift and loops.
#
# That is all: our objects need no ignore rules, no force, no "ssa" annotations. Nothing in the
# cluster writes to a rendered field; the controller writes status, and Secrets, ConfigMaps and
# Leases of its own, which no inventory lists. Only the namespace is protected from pruning, by its
# own annotation; what a substitution would change is annotated "substitute: disabled".
---
# The Kustomization of a cluster. Without targetNamespace, namePrefix and nameSuffix: names and
# namespaces are also in texts, which they would not change.
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
spec:
  # Otherwise a device stays reachable after its source was deleted.
  prune: true
---
# With "render . --only generated -o tailscale/rendered": one more Kustomization, and the others stay
# as they are. Its folder may hold the controller, too (examples/flux).
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: tailscale
  namespace: flux-system
spec:
  interval: 10m
  path: ./tailscale
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
)";

constexpr std::string_view kFleet =
    R"(# Fleet: what to add so that rendered output is applied without drift and loops.
#
# The GitRepo needs nothing, and our objects need no diff.comparePatches and no keepResources.
# Nothing in the cluster writes to a rendered field; the controller writes status, and Secrets,
# ConfigMaps and Leases of its own, which are in no bundle. correctDrift is safe. Only the
# namespace is protected from deletion, by its own annotation.
---
# The source fleet.yaml of the bundle with the operator's chart, only where its namespace exists
# before the bundle is installed, say with a Secret created by hand. The rendered fleet.yaml keeps it.
helm:
  takeOwnership: true
)";

}  // namespace

Result<int> run_gitops_snippets(const Options& options, ClusterRuns& /*runs*/, Console& console) {
    static const std::map<std::string_view, std::string_view> kSnippets = {
        {"argo", kArgo}, {"flux", kFlux}, {"fleet", kFleet}};
    return console.out(kSnippets.at(options.tool)) ? 0 : 1;
}

}  // namespace renderer::cli
