#include "renderer/engines/flux/flux_units.h"

#include "renderer/core/yaml_writer.h"
#include "renderer/engines/units_testing.h"

namespace renderer::engines {
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

std::string unit_text(const std::string& spec) {
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

struct ArtifactRow {
    const char* copy;
    const char* path;
    const char* summary;
};

TEST(FluxUnit, FollowsAnArtifactThatIsMadeOfDirectories) {
    const ArtifactRow rows[] = {
        {R"({from: "@repo/**", to: "@artifact/"})", "./apps", "live apps"},
        {R"({from: "@repo/apps/**", to: "@artifact/"})", ".", "live apps"},
        {R"({from: "@repo/apps", to: "@artifact/x/"})", "x/apps", "live apps"},
        {R"({from: "@repo/apps/", to: "@artifact/x"})", "./x/apps/", "live apps"},
        {R"({from: "@repo/apps/**", to: "@artifact/x"})", "/x", "live apps"},
        {R"({from: "@repo/apps/**", to: "@artifact/x"})", "x/../../x", "live apps"},
        {R"({from: "@repo/apps/**", to: "@artifact/x/", strategy: Overwrite})", "x", "live apps"},
        {R"({from: "@repo/apps", to: "@artifact/"}, {from: "@repo/clusters/**", to: "@artifact/clusters"})",
         "apps", "live apps"},
        {R"({from: "@repo/apps/**", to: "@artifact/apps"}, {from: "@repo/sources.yaml", to: "@artifact/"})",
         "./apps", "live apps"},
        {R"({from: "@repo/apps/**", to: "@artifact/a"}, {from: "@repo/clusters/**", to: "@artifact/b"})",
         "a", "elsewhere : ArtifactGenerator split: it puts copies together in new places"},
        {R"({from: "@repo/apps/**", to: "@artifact/"}, {from: "@repo/sources.yaml", to: "@artifact/"})",
         ".", "elsewhere : ArtifactGenerator split: it puts copies together in new places"},
        {R"({from: "@repo/apps/**", to: "@artifact/x"})", "y",
         "elsewhere : ArtifactGenerator split: it copies nothing to y"},
        {R"({from: "@repo/apps/**", to: "@artifact/x"})", "x/y",
         "missing apps/y: there is no directory apps/y"},
        {R"({from: "@repo/apps/*.yaml", to: "@artifact/"})", ".",
         "elsewhere : ArtifactGenerator split: the pattern \"@repo/apps/*.yaml\" is not followed"},
        {R"({from: "@repo/apps/**", to: "@artifact/", strategy: Merge})", ".",
         "elsewhere : ArtifactGenerator split: not all of \"@repo/apps/**\" is copied as it is"},
        {R"({from: "@repo/medai/**", to: "@artifact/"})", ".",
         "elsewhere : ArtifactGenerator split: there is no medai to copy"},
        {R"({from: "@rope/apps/**", to: "@artifact/"})", ".",
         "elsewhere : ArtifactGenerator split: it has no source \"rope\""},
        {R"({from: "@theirs/apps/**", to: "@artifact/"})", ".",
         "elsewhere : ArtifactGenerator split: GitRepository other is not this repository"},
        {R"({from: "@repo/../../etc/**", to: "@artifact/"})", ".",
         "elsewhere : ArtifactGenerator split: there is no etc to copy"},
        {R"({from: "apps", to: "@artifact/"})", ".",
         "elsewhere : ArtifactGenerator split: copies from \"apps\" to \"@artifact/\""},
    };
    for (const ArtifactRow& row : rows) {
        std::map<std::string, std::string> files = kFluxFiles;
        files["generator.yaml"] = std::string(
                                      "apiVersion: source.extensions.fluxcd.io/v1beta1\n"
                                      "kind: ArtifactGenerator\n"
                                      "metadata: {name: split, namespace: flux-system}\n"
                                      "spec:\n  sources:\n"
                                      "    - {alias: repo, kind: GitRepository, name: acme}\n"
                                      "    - {alias: theirs, kind: GitRepository, name: other}\n"
                                      "  artifacts: [{name: apps, copy: [") +
                                  row.copy + "]}]\n";
        UnitTree tree(std::move(files));
        const std::string spec = std::string("{path: '") + row.path +
                                 "', sourceRef: {kind: ExternalArtifact, name: apps}}";
        EXPECT_EQ(summary_of(flux_unit(tree.repository(), tree.object(unit_text(spec)))),
                  row.summary)
            << row.copy << " " << row.path;
    }
}

TEST(FluxUnit, IsKeptWithAnArtifactThatIsNotMadeAgain) {
    std::map<std::string, std::string> files = kFluxFiles;
    files["generator.yaml"] =
        "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\n"
        "metadata: {name: split, namespace: flux-system,\n"
        "  annotations: {source.extensions.fluxcd.io/reconcile: Disabled}}\n"
        "spec:\n  sources: [{alias: repo, kind: GitRepository, name: acme}]\n"
        "  artifacts: [{name: apps, copy: [{from: '@repo/apps/**', to: '@artifact/'}]}]\n";
    UnitTree tree(std::move(files));
    EXPECT_EQ(summary_of(flux_unit(
                  tree.repository(),
                  tree.object(unit_text("{sourceRef: {kind: ExternalArtifact, name: apps}}")))),
              "kept apps: source.extensions.fluxcd.io/reconcile of ArtifactGenerator split is "
              "Disabled");
}

struct ChangesRow {
    const char* spec;
    const char* changes;
};

TEST(FluxUnit, ChangesAKustomizationAsFluxDoes) {
    const ChangesRow rows[] = {
        {"components: [web.yaml, gone]", "components:\n- web.yaml\n- gone\n"},
        {"ignoreMissingComponents: true, components: [web.yaml, gone]",
         "components:\n- web.yaml\n"},
        {"ignoreMissingComponents: true, components: [gone]", ""},
        {"patchesStrategicMerge: [{kind: Service, metadata: {name: web}}]",
         "patchesStrategicMerge:\n- |\n  kind: Service\n  metadata:\n    name: web\n"},
        {"patchesJson6902: [{target: {kind: Service}, patch: [{op: remove, path: /spec}]}]",
         "patchesJson6902:\n- patch: |\n    - op: remove\n      path: /spec\n"
         "  target:\n    kind: Service\n"},
        {"ignoreMissingComponents: true, components: ['${A}']", "components:\n- \"${A}\"\n"},
        {"patchesJson6902: [{target: {kind: ConfigMap}, patch: [{op: remove, path: /data}]}]", ""},
        {"namePrefix: a-", "namePrefix: a-\n"},
    };
    for (const ChangesRow& row : rows) {
        UnitTree tree(kFluxFiles);
        const std::string spec = std::string("{path: apps, sourceRef: {kind: GitRepository, ") +
                                 "name: acme}, " + row.spec + "}";
        const BuildUnit unit = flux_unit(tree.repository(), tree.object(unit_text(spec)));
        std::string text;
        if (unit.changes) {
            write_yaml(*unit.changes, text);
        }
        EXPECT_EQ(text, row.changes) << row.spec;
    }
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

TEST(Bootstrap, AppliesItsOwnDirectory) {
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
}  // namespace renderer::engines
