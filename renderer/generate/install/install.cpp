#include "renderer/generate/install/install.h"

#include "renderer/base/base64.h"
#include "renderer/generate/install/crds.h"
#include "renderer/generate/install/install_objects.h"
#include "renderer/plan/install/controller.h"

namespace renderer::generate {

namespace {

// The annotations keep Argo CD, Flux, Helm (so Fleet) and kpt from deleting the namespace, and
// every device's state with it, when the bundle goes away.
Value namespace_object(std::string_view name, std::string_view pod_security) {
    Value labels = Value::map({{"pod-security.kubernetes.io/audit", pod_security},
                               {"pod-security.kubernetes.io/enforce", pod_security},
                               {"pod-security.kubernetes.io/warn", pod_security}});
    Value annotations = Value::map({{"argocd.argoproj.io/sync-options", "Prune=false,Delete=false"},
                                    {"client.lifecycle.config.k8s.io/deletion", "detach"},
                                    {"helm.sh/resource-policy", "keep"},
                                    {"kustomize.toolkit.fluxcd.io/prune", "disabled"}});
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "Namespace"},
                       {"metadata", Value::map({{"name", name},
                                                {"labels", std::move(labels)},
                                                {"annotations", std::move(annotations)}})}});
}

Value oauth_secret(const plan::InstallPlan& install) {
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata",
          Value::map({{"name", install.names.oauth_secret}, {"namespace", install.ns}})},
         {"data", Value::map({{"client_id", encode_base64(install.client_id)},
                              {"client_secret", encode_base64(install.client_secret)}})}});
}

Value remote_entry(std::string_view key, const plan::RemoteEntry& entry) {
    Value remote = Value::map({{"key", entry.key}});
    if (!entry.property.empty()) {
        remote.put("property", entry.property);
    }
    remote.put("conversionStrategy", "Default");
    remote.put("decodingStrategy", "None");
    remote.put("metadataPolicy", "None");
    return Value::map({{"secretKey", key}, {"remoteRef", std::move(remote)}});
}

// With the CRD's defaults written out, so that no applier sees a difference.
Value external_secret(const plan::InstallPlan& install, const plan::ExternalSecretSettings& from) {
    return Value::map(
        {{"apiVersion", "external-secrets.io/v1"},
         {"kind", "ExternalSecret"},
         {"metadata",
          Value::map({{"name", install.names.oauth_secret}, {"namespace", install.ns}})},
         {"spec",
          Value::map(
              {{"refreshInterval", from.refresh_interval},
               {"secretStoreRef", Value::map({{"kind", from.store_kind}, {"name", from.store}})},
               {"target", Value::map({{"name", install.names.oauth_secret},
                                      {"creationPolicy", "Owner"},
                                      {"deletionPolicy", "Retain"}})},
               {"data", Value::list({remote_entry("client_id", from.client_id),
                                     remote_entry("client_secret", from.client_secret)})}})}});
}

Value ingress_class(const plan::Settings& settings) {
    return Value::map({{"apiVersion", "networking.k8s.io/v1"},
                       {"kind", "IngressClass"},
                       {"metadata", Value::map({{"name", settings.ingress_class}})},
                       {"spec", Value::map({{"controller", "tailscale.com/ts-ingress"}})}});
}

}  // namespace

void generate_install(const plan::Plan& plan, Objects& objects) {
    if (!plan.install) {
        return;
    }
    const plan::InstallPlan& install = *plan.install;
    const auto add = [&](Value root) { add_object(install, std::move(root), objects); };
    if (install.emit_namespace) {
        // The proxies of L3 Services are privileged, because they set up packet filters.
        add(namespace_object(install.ns, "privileged"));
    }
    if (install.emit_api_namespace) {
        add(namespace_object(plan.settings.api_ns, "restricted"));
    }
    for (const Kind* kind : install.crds) {
        add(crd(*kind, plan.settings.release.version.minor));
    }
    if (install.oauth_secret) {
        add(oauth_secret(install));
    }
    if (install.external_secret) {
        add(external_secret(install, plan.settings.external_secret));
    }
    generate_install_rbac(plan, objects);
    generate_install_controller(plan, objects);
    if (plan.settings.ingress_class_enabled) {
        add(ingress_class(plan.settings));
    }
}

}  // namespace renderer::generate
