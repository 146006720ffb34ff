#include "renderer/engines/flux/flux_units.h"

#include "renderer/engines/units_testing.h"

namespace renderer {
namespace {

const std::map<std::string, std::string> kFluxFiles = {
    {"apps/web.yaml", "kind: Service\n"},
    {"clusters/den/web.yaml", "kind: Service\n"},
    {"sources.yaml",
     "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
     "metadata: {name: acme, namespace: flux-system}\nspec: {url: https://example.com/acme}\n---\n"
     "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
     "metadata: {name: other, namespace: flux-system}\nspec: {url: "
     "https://example.com/other}\n---\n"
     "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
     "metadata: {name: acme, namespace: flux-system}\n"
     "spec: {path: ., sourceRef: {kind: GitRepository, name: acme}}\n"}};

struct FluxRow {
    const char* spec;
    const char* summary;
};

std::string unit_text(const char* spec) {
    return std::string(
               "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
               "metadata: {name: apps, namespace: flux-system}\nspec: ") +
           spec + "\n";
}

TEST(FluxUnit, SaysWhatIsAppliedAndWhyNot) {
    const FluxRow rows[] = {
        {"{path: ./apps, sourceRef: {kind: GitRepository, name: acme}}", "live apps"},
        {"{path: /apps/, sourceRef: {kind: GitRepository, name: acme}}", "live apps"},
        {"{path: ../apps, sourceRef: {kind: GitRepository, name: acme}}", "live apps"},
        {"{path: ./apps, suspend: true, sourceRef: {kind: GitRepository, name: acme}}",
         "kept apps: spec.suspend is true"},
        {"{path: ./medai, sourceRef: {kind: GitRepository, name: acme}}",
         "missing medai: there is no directory medai"},
        {"{path: ./apps/web.yaml, sourceRef: {kind: GitRepository, name: acme}}",
         "missing apps/web.yaml: there is no directory apps/web.yaml"},
        {"{path: './${A}', sourceRef: {kind: GitRepository, name: acme}}",
         "unresolved ${A}: path ./${A}"},
        {"{path: ./apps, kubeConfig: {secretRef: {name: a}}, "
         "sourceRef: {kind: GitRepository, name: acme}}",
         "other cluster apps: spec.kubeConfig names another cluster"},
        {"{path: ./apps, sourceRef: {name: acme}}",
         "refused apps: spec.sourceRef.kind and spec.sourceRef.name are required"},
        {"{path: ./apps, sourceRef: {kind: GitRepository}}",
         "refused apps: spec.sourceRef.kind and spec.sourceRef.name are required"},
        {"{path: ./apps}",
         "refused apps: spec.sourceRef.kind and spec.sourceRef.name are required"},
        {"{path: ./apps, sourceRef: {kind: OCIRepository, name: acme}}",
         "elsewhere apps: OCIRepository acme is not this repository"},
        {"{path: ./apps, sourceRef: {kind: GitRepository, name: other}}",
         "elsewhere apps: GitRepository other is not this repository"},
    };
    for (const FluxRow& row : rows) {
        UnitTree tree(kFluxFiles);
        const BuildUnit unit = flux_unit(tree.repository(), tree.object(unit_text(row.spec)));
        EXPECT_EQ(summary_of(unit), row.summary) << row.spec;
        EXPECT_EQ(unit.name, "Kustomization flux-system/apps");
        EXPECT_TRUE(unit.is_flux);
    }
}

TEST(FluxUnit, IsSuspendedWithItsSource) {
    std::map<std::string, std::string> files = kFluxFiles;
    files["sources.yaml"] +=
        "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
        "metadata: {name: still, namespace: flux-system}\n"
        "spec: {url: https://example.com/acme, suspend: true}\n";
    UnitTree tree(std::move(files));
    const EngineObject object =
        tree.object(unit_text("{path: ./apps, sourceRef: {kind: GitRepository, name: still}}"));
    EXPECT_EQ(summary_of(flux_unit(tree.repository(), object)),
              "kept apps: spec.suspend of GitRepository still is true");
}

TEST(FluxUnit, GivesItsObjectsANamespaceAndVariables) {
    UnitTree tree(kFluxFiles);
    const BuildUnit unit =
        flux_unit(tree.repository(),
                  tree.object(unit_text(
                      "{path: ./apps, targetNamespace: shop, postBuild: {substitute: {A: b}},"
                      " sourceRef: {kind: GitRepository, name: acme}}")));
    EXPECT_EQ(unit.target_namespace, "shop");
    ASSERT_NE(unit.variables, nullptr);
    EXPECT_EQ(unit.variables->values.at("A"), "b");
}

TEST(Bootstrap, AppliesTheDirectoryThatItLiesIn) {
    UnitTree tree(kFluxFiles);
    const auto is_first = [&](const char* name, const char* path) {
        EngineObject object = tree.object(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: " +
            std::string(name) + "}\nspec: {path: " + path +
            ", sourceRef: {kind: GitRepository, name: acme}}\n");
        return is_bootstrap(object, flux_unit(tree.repository(), object));
    };
    EXPECT_TRUE(is_first("acme", "./clusters/den"));
    EXPECT_FALSE(is_first("acme", "./apps"));
    EXPECT_FALSE(is_first("den", "./clusters/den"));
}

}  // namespace
}  // namespace renderer
