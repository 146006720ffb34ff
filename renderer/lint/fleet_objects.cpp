// Objects that conflict with how their bundle is installed: as one Helm release, whose kinds must
// all exist before it begins. Source: Fleet internal/helmdeployer, Helm pkg/kube.

#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::lint {

namespace {

// `cause` is the source of the CRD in the same bundle.
void warn_first_installation(const LintContext& context, const RepositoryDocument& document,
                             Note cause) {
    context.about(document)
        .warning("fleet-crd-order", document.pos,
                 "the first installation of this bundle fails: Helm needs the kind before it "
                 "installs the CRD")
        .hint("move the object to another bundle with dependsOn")
        .note(std::move(cause));
}

void check_order(const LintContext& context, const RepositoryDocument& crd) {
    const Repository& repository = context.repository;
    const RepositoryBundle* bundle = repository.bundle_of(crd.file->relative);
    const std::string_view group = text_of(crd.root.at({"spec", "group"}));
    const std::string_view kind = text_of(crd.root.at({"spec", "names", "kind"}));
    if (bundle == nullptr || !bundle->is_ours || group.empty()) {
        return;
    }
    for (const RepositoryDocument& document : repository.documents) {
        if (document.is(group, kind) && repository.bundle_of(document.file->relative) == bundle) {
            warn_first_installation(context, document,
                                    {.pos = crd.pos,
                                     .object = crd.object_name(),
                                     .text = "the CRD is in the same bundle"});
        }
    }
}

// The operator's chart contains the CRDs of its kinds, and so does what is rendered in its place.
void check_operator_order(const LintContext& context, const RepositoryDocument& document) {
    const RepositoryBundle* bundle = context.repository.bundle_of(document.file->relative);
    const bool emitted =
        context.input.plan.settings.custom_resources == plan::CustomResources::Emit;
    if (emitted && bundle != nullptr && bundle->fleet.has_chart() &&
        bundle->fleet.is_operator_chart()) {
        warn_first_installation(
            context, document,
            {.pos = bundle->fleet.pos, .text = "the bundle with the operator's CRDs"});
    }
}

// Fleet creates the namespace for the resources that it copies there, and Helm adopts nothing
// unless asked to.
void check_namespace(const LintContext& context, const RepositoryDocument& document) {
    const RepositoryBundle* bundle = context.repository.bundle_of(document.file->relative);
    if (bundle == nullptr || !bundle->is_ours ||
        repo::list_of(bundle->fleet.merged, "downstreamResources").empty()) {
        return;
    }
    const bool own = document.name() == repo::text_of(bundle->fleet.merged, "defaultNamespace") ||
                     document.name() == repo::text_of(bundle->fleet.merged, "namespace");
    if (own && !bundle->fleet.helm_flag("takeOwnership")) {
        context.about(document)
            .warning("fleet-owned-namespace", document.pos,
                     "Fleet creates this namespace before the bundle is installed, for its "
                     "downstreamResources, and Helm does not adopt it")
            .expected("\"helm: {takeOwnership: true}\" in fleet.yaml");
    }
}

}  // namespace

void check_fleet_objects(const LintContext& context) {
    for (const RepositoryDocument& document : context.repository.documents) {
        if (document.is("apiextensions.k8s.io", "CustomResourceDefinition")) {
            check_order(context, document);
        } else if (document.group() == "tailscale.com") {
            check_operator_order(context, document);
        } else if (document.is_core("Namespace")) {
            check_namespace(context, document);
        }
    }
}

}  // namespace renderer::lint
