#include "renderer/engines/argo/argo_units.h"

#include "renderer/engines/units_testing.h"

namespace renderer::engines {
namespace {

const std::map<std::string, std::string> kArgoFiles = {
    {"apps/web.yaml", "kind: Service\n"},
    {"chart/Chart.yaml", "name: web\n"},
    {"root.yaml",
     "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: root}\n"
     "spec:\n  source: {repoURL: https://example.com/acme, path: apps}\n  destination: {}\n"}};

struct ArgoRow {
    const char* spec;
    const char* summary;
};

std::string application(const char* spec) {
    return std::string(
               "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\n"
               "spec: ") +
           spec + "\n";
}

std::string summaries(const std::vector<BuildUnit>& units) {
    std::string text;
    for (const BuildUnit& unit : units) {
        text += (text.empty() ? "" : "; ") + summary_of(unit);
    }
    return text;
}

TEST(ArgoUnits, SayWhatIsAppliedAndWhyNot) {
    const ArgoRow rows[] = {
        {"{source: {repoURL: https://example.com/acme, path: apps}, destination: {}}", "live apps"},
        {"{source: {repoURL: https://example.com/acme, path: apps, "
         "directory: {disableExtensionFilter: true}}, destination: {}}",
         "live apps: files without the name of a manifest are not read"},
        {"{sources: [{repoURL: https://example.com/acme, path: apps}, "
         "{repoURL: https://example.com/acme, path: chart}], destination: {}}",
         "live apps; live chart"},
        {"{source: {repoURL: https://example.com/acme, path: app}, destination: {}}",
         "missing app: there is no directory app"},
        {"{source: {repoURL: https://example.com/other, path: apps}, destination: {}}",
         "elsewhere apps: https://example.com/other is not this repository"},
        {"{source: {repoURL: https://charts.example.com, chart: web}, destination: {}}",
         "elsewhere web: a chart of https://charts.example.com"},
        {"{source: {repoURL: https://example.com/acme}, destination: {}}",
         "refused : a source needs repoURL, and path or chart; one of several may have ref "
         "instead"},
        {"{destination: {}}", "refused : one of spec.source and spec.sources is required"},
        {"{source: {repoURL: https://example.com/acme, path: apps, helm: {}, kustomize: {}}, "
         "destination: {}}",
         "refused apps: multiple application sources defined: kustomize, helm"},
        {"{source: {repoURL: https://example.com/acme, path: apps}, "
         "destination: {name: in-clsuter}}",
         "refused : no cluster Secret and no --argo-cluster names in-clsuter: is in-cluster or "
         "https://kubernetes.default.svc meant?"},
    };
    for (const ArgoRow& row : rows) {
        UnitTree tree(kArgoFiles);
        EXPECT_EQ(summaries(argo_units(tree.repository(), tree.object(application(row.spec)))),
                  row.summary)
            << row.spec;
    }
}

TEST(ArgoUnits, HaveTheTagOrCommitThatTheyApply) {
    const auto revision_of = [](const std::string& revision) {
        UnitTree tree(kArgoFiles);
        const std::string spec =
            "{source: {repoURL: https://example.com/acme, path: apps, targetRevision: \"" +
            revision + "\"}, destination: {}}";
        return argo_units(tree.repository(), tree.object(application(spec.c_str())))
            .front()
            .revision;
    };
    for (const char* fixed : {"v1.2.3", "1.2.3-next.1+x", "0123abc", "refs/tags/stable"}) {
        EXPECT_TRUE(std::string(fixed).ends_with(revision_of(fixed)) && !revision_of(fixed).empty())
            << fixed;
    }
    for (const char* moving :
         {"", "HEAD", "main", "release-1.2", "v1", "v1.2", "2024.10", "facade1x", "20241001", "1.x",
          "1.2.*", ">=1.0.0", "1.0.0 - 2.0.0", "0123ab"}) {
        EXPECT_EQ(revision_of(moving), "") << moving;
    }
}

TEST(ArgoUnits, AreKeptWithSkipReconcile) {
    UnitTree tree(kArgoFiles);
    const EngineObject object = tree.object(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
        "metadata: {name: web, annotations: {argocd.argoproj.io/skip-reconcile: 'true'}}\n"
        "spec: {source: {repoURL: https://example.com/acme, path: apps}, destination: {}}\n");
    EXPECT_EQ(summaries(argo_units(tree.repository(), object)),
              "kept apps: argocd.argoproj.io/skip-reconcile is true");
}

TEST(ArgoUnits, SayClusterAndNamespace) {
    UnitTree tree(kArgoFiles);
    const std::vector<BuildUnit> units = argo_units(
        tree.repository(),
        tree.object(application("{source: {repoURL: https://example.com/acme, path: apps}, "
                                "destination: {name: den, namespace: shop}}")));
    ASSERT_EQ(units.size(), 1U);
    EXPECT_EQ(units[0].cluster, "den");
    EXPECT_EQ(units[0].fallback_namespace, "shop");
    EXPECT_EQ(units[0].files, UnitFiles::Directory);
}

TEST(TakenManifest, FollowsThePatternsOfTheDirectory) {
    BuildUnit unit;
    EXPECT_TRUE(takes_manifest(unit, "a/web.yaml"));
    unit.include = "{web,shop}.yaml";
    EXPECT_TRUE(takes_manifest(unit, "web.yaml"));
    EXPECT_FALSE(takes_manifest(unit, "other.yaml"));
    unit.exclude = "web*";
    EXPECT_FALSE(takes_manifest(unit, "web.yaml"));
    EXPECT_TRUE(takes_manifest(unit, "shop.yaml"));
}

TEST(MergePatch, RemovesWhatIsNull) {
    Value target = Value::map({{"a", 1}, {"b", Value::map({{"c", 2}, {"d", 3}})}});
    merge_patch(target, Value::map({{"a", Value()}, {"b", Value::map({{"c", 4}})}}));
    EXPECT_EQ(target, Value::map({{"b", Value::map({{"c", 4}, {"d", 3}})}}));
}

}  // namespace
}  // namespace renderer::engines
