#include "renderer/generate/group/group_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "renderer/contract/annotations.h"

namespace renderer::generate {

namespace {

// An object without annotations does not have this map, and accessing it would be an error, which
// denies the request.
constexpr std::string_view kIsNotSet =
    "!(has(object.metadata.annotations) && \"tailscale.com/proxy-group\" in "
    "object.metadata.annotations)";
constexpr std::string_view kGuardedIsNotSet =
    "!has(object.metadata.annotations) || !(\"tailscale.com/proxy-group\" in "
    "object.metadata.annotations)";
constexpr std::string_view kIsExposed =
    "((has(object.spec.loadBalancerClass) && object.spec.loadBalancerClass == \"tailscale\") || "
    "(has(object.metadata.annotations) && \"tailscale.com/expose\" in "
    "object.metadata.annotations && object.metadata.annotations[\"tailscale.com/expose\"] == "
    "\"true\"))";

std::string cel_text(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        text += c == '"' || c == '\\' ? "\\" : "";
        text += c;
    }
    return text + "\"";
}

std::string is_allowed(const std::set<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ",") + cel_text(name);
    }
    return fmt::format("object.metadata.annotations[\"{}\"] in [{}]", annotation::kProxyGroup,
                       list);
}

Value validation(std::string expression, const std::set<std::string>& names) {
    std::string message =
        names.empty()
            ? fmt::format("Annotation \"{}\" cannot be used on this resource in this namespace",
                          annotation::kProxyGroup)
            : fmt::format("If set, annotation \"{}\" must be one of [{}]", annotation::kProxyGroup,
                          fmt::join(names, ", "));
    return Value::map({{"expression", expression}, {"message", message}});
}

Value resource_rule(std::string_view group, std::string_view version, std::string_view resource) {
    return Value::map({{"apiGroups", Value::list({group})},
                       {"apiVersions", Value::list({version})},
                       {"operations", Value::list({"CREATE", "UPDATE"})},
                       {"resources", Value::list({resource})}});
}

Value policy(const std::string& name, Value rules, Value validations) {
    return Value::map({{"apiVersion", "admissionregistration.k8s.io/v1"},
                       {"kind", "ValidatingAdmissionPolicy"},
                       {"metadata", Value::map({{"name", name}})},
                       {"spec", Value::map({{"failurePolicy", "Fail"},
                                            {"matchConstraints",
                                             Value::map({{"resourceRules", std::move(rules)}})},
                                            {"validations", std::move(validations)}})}});
}

Value binding(const std::string& name, const std::string& ns) {
    Value labels = Value::map({{"kubernetes.io/metadata.name", ns}});
    return Value::map(
        {{"apiVersion", "admissionregistration.k8s.io/v1"},
         {"kind", "ValidatingAdmissionPolicyBinding"},
         {"metadata", Value::map({{"name", name}})},
         {"spec",
          Value::map({{"policyName", name},
                      {"validationActions", Value::list({"Deny"})},
                      {"matchResources",
                       Value::map({{"namespaceSelector",
                                    Value::map({{"matchLabels", std::move(labels)}})}})}})}});
}

Value ingress_policy(const std::string& name, const std::set<std::string>& names,
                     std::string_view is_not_set) {
    const std::string allowed = is_allowed(names);
    return policy(
        name,
        Value::list({resource_rule("networking.k8s.io", "*", "ingresses"),
                     resource_rule("", "v1", "services")}),
        Value::list({validation(fmt::format("request.kind.kind != \"Ingress\" || {} || {}",
                                            is_not_set, allowed),
                                names),
                     validation(fmt::format("request.kind.kind != \"Service\" || !{} || ({} || {})",
                                            kIsExposed, is_not_set, allowed),
                                names)}));
}

Value egress_policy(const std::string& name, const std::set<std::string>& names,
                    std::string_view is_not_set) {
    return policy(
        name, Value::list({resource_rule("", "v1", "services")}),
        Value::list({validation(
            fmt::format("{} || {} || {}", kIsExposed, is_not_set, is_allowed(names)), names)}));
}

}  // namespace

void generate_group_policies(const plan::Plan& plan, Objects& objects) {
    const bool is_guarded = plan.settings.release.has(plan::Trait::GuardedPolicies);
    const std::string_view is_not_set = is_guarded ? kGuardedIsNotSet : kIsNotSet;
    for (const plan::GroupPolicyPlan& one : plan.group_policies) {
        const std::string ingress = fmt::format("ts-ingress-{}", one.ns);
        const std::string egress = fmt::format("ts-egress-{}", one.ns);
        Value roots[] = {ingress_policy(ingress, one.ingress, is_not_set), binding(ingress, one.ns),
                         egress_policy(egress, one.egress, is_not_set), binding(egress, one.ns)};
        for (Value& root : roots) {
            objects.push_back({.root = std::move(root),
                               .origin = one.origin,
                               .bundle = one.bundle,
                               .generator = "group-policy"});
        }
    }
}

}  // namespace renderer::generate
