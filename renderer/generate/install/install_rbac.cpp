#include "renderer/generate/install/install_objects.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/install/controller.h"

namespace renderer::generate {

namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

Value install_metadata(std::string_view name, std::string_view ns) {
    Value made = Value::map({{"name", name}});
    put_if(made, !ns.empty(), "namespace", ns);
    return made;
}

Value account(const plan::Plan& plan) {
    Value meta = install_metadata(plan.install->names.name, plan.install->ns);
    const Value* annotations =
        plan.settings.chart.at({"operatorConfig", "serviceAccountAnnotations"});
    if (annotations != nullptr && annotations->is_map() && annotations->size() > 0) {
        meta.add("annotations", annotations->clone());
    }
    return Value::map(
        {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", std::move(meta)}});
}

// `ns` empty: a ClusterRole.
Value install_role(std::string_view name, std::string_view ns, Value rules) {
    return Value::map({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", Value(ns.empty() ? std::string_view("ClusterRole") : "Role")},
                       {"metadata", install_metadata(name, ns)},
                       {"rules", std::move(rules)}});
}

// Binds a role of the same name to an account; `ns` empty: a ClusterRoleBinding.
Value binding_of_account(std::string_view name, std::string_view ns, std::string_view account_name,
                         std::string_view account_ns) {
    const bool cluster = ns.empty();
    return Value::map(
        {{"apiVersion", "rbac.authorization.k8s.io/v1"},
         {"kind", Value(cluster ? std::string_view("ClusterRoleBinding") : "RoleBinding")},
         {"metadata", install_metadata(name, ns)},
         {"subjects",
          Value::list({Value::map(
              {{"kind", "ServiceAccount"}, {"name", account_name}, {"namespace", account_ns}})})},
         {"roleRef",
          Value::map({{"apiGroup", kRbac},
                      {"kind", Value(cluster ? std::string_view("ClusterRole") : "Role")},
                      {"name", name}})}});
}

Value impersonation() {
    return Value::list({Value::map({{"apiGroups", Value::list({""})},
                                    {"resources", Value::list({"users", "groups"})},
                                    {"verbs", Value::list({"impersonate"})}})});
}

}  // namespace

void generate_install_rbac(const plan::Plan& plan, Objects& objects) {
    const plan::InstallPlan& install = *plan.install;
    const auto add = [&](Value root) { add_object(install, std::move(root), objects); };
    add(account(plan));
    add(install_role(install.names.cluster, "", plan::controller_cluster_rules()));
    add(binding_of_account(install.names.cluster, "", install.names.name, install.ns));
    add(install_role(install.names.name, install.ns, plan::controller_rules(plan.settings)));
    add(binding_of_account(install.names.name, install.ns, install.names.name, install.ns));
    if (install.auth_proxy_account) {
        Value proxies = Value::map(
            {{"apiVersion", "v1"},
             {"kind", "ServiceAccount"},
             {"metadata", install_metadata(plan::kAuthProxyAccount, plan.settings.api_ns)}});
        add_pull_secrets(plan.settings, proxies);
        add(std::move(proxies));
        add(install_role(plan::kAuthProxyClusterRole, "", impersonation()));
        add(binding_of_account(plan::kAuthProxyClusterRole, "", plan::kAuthProxyAccount,
                               plan.settings.api_ns));
    }
}

}  // namespace renderer::generate
