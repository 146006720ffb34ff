#include "renderer/engines/engine_files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renderer/core/yaml_reader.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {
namespace {

struct SpellingRow {
    const char* object;
    const char* message;  // "" = no message
};

void expect_spellings(const std::vector<SpellingRow>& rows) {
    for (const SpellingRow& row : rows) {
        SourceMap sources;
        Diagnostics mistakes;
        const SourceId source = sources.add("x.yaml", row.object);
        const Value object = read_yaml(sources, source, mistakes);
        ASSERT_FALSE(mistakes.has_errors()) << row.object;
        const std::optional<Misspelling> found = misspelling_of(object);
        EXPECT_EQ(found ? found->message : "", row.message) << row.object;
        EXPECT_TRUE(!found || may_hold_engine(row.object) || may_be_misspelled(row.object))
            << row.object;
    }
}

TEST(MisspellingOf, AKind) {
    expect_spellings(
        {{"apiVersion: argoproj.io/v1alpha1\nkind: Aplication\n",
          "no kind \"Aplication\" in \"argoproj.io/v1alpha1\": is Application meant?"},
         {"apiVersion: argoproj.io/v1alpha1\nknid: Application\n",
          "no kind beside \"argoproj.io/v1alpha1\""},
         {"apiVersion: argoproj.io/v1alpha1\nkind: AppProject\n", ""},
         {"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelase\n",
          "no kind \"HelmRelase\" in \"helm.toolkit.fluxcd.io/v2\": is HelmRelease meant?"}});
}

TEST(MisspellingOf, AGroup) {
    expect_spellings(
        {{"apiVersion: kustomise.toolkit.fluxcd.io/v1\nkind: Kustomization\n",
          "no kind \"Kustomization\" in \"kustomise.toolkit.fluxcd.io/v1\": is "
          "\"kustomize.toolkit.fluxcd.io/…\" meant?"},
         {"apiVersion: v1\nkind: HelmRelease\nspec: {chart: {}}\n",
          "no kind \"HelmRelease\" in \"v1\": is \"helm.toolkit.fluxcd.io/…\" meant?"},
         {"kind: Application\nspec: {source: {}}\n", "no apiVersion beside Application"},
         {"apiVersion: v1\nkind: Application\nmetadata: {name: a}\n", ""},
         {"apiVersion: v1\nkind: Kustomization\nresources: [a]\n", ""},
         {"apiVersion: app.k8s.io/v1beta1\nkind: Application\n", ""},
         {"apiVersion: helm.fluxcd.io/v1\nkind: HelmRelease\n", ""},
         {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", ""},
         {"kind: Kustomization\nresources: [a]\n", ""}});
}

TEST(MisspellingOf, AField) {
    const std::string flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n";
    const std::string release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n";
    const std::string argo = "kind: Application\n";
    const std::string set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n";
    expect_spellings(
        {{(flux + "metdata: {}\n").c_str(),
          "no field \"metdata\" in Kustomization: is \"metadata\" meant?"},
         {(flux + "spec: {path: a, sourceReff: {}}\n").c_str(),
          "no field \"sourceReff\" in Kustomization: is \"sourceRef\" meant?"},
         {(flux + "spec: {path: a, x-anything: {pth: a}}\n").c_str(), ""},
         {(flux + "spec: {postBuild: {substitute: {pth: a, spec: b}}}\n").c_str(), ""},
         {(release + "spec: {chart: {spec: {chrat: a}}}\n").c_str(),
          "no field \"chrat\" in HelmRelease: is \"chart\" meant?"},
         {(release + "spec: {valuesFrom: [{kind: Secret, nmae: a}]}\n").c_str(),
          "no field \"nmae\" in HelmRelease: is \"name\" meant?"},
         {(release + "spec: {values: {spec: {pth: a}, chrat: b}}\n").c_str(), ""},
         {("paiVersion: argoproj.io/v1alpha1\n" + argo + "spec: {}\n").c_str(),
          "no field \"paiVersion\" in Application: is \"apiVersion\" meant?"},
         {(set + "spec: {generators: [{matrix: {generators: [{git: {driectories: []}}]}}]}\n")
              .c_str(),
          "no field \"driectories\" in ApplicationSet: is \"directories\" meant?"},
         {(set + "spec: {generators: [{list: {elements: [{pth: a}]}}]}\n").c_str(), ""},
         {(set + "spec: {template: {spec: {sources: [{helm: {valuesFiles: [a]}}]}}}\n").c_str(),
          "no field \"valuesFiles\" in ApplicationSet: is \"valueFiles\" meant?"}});
}

TEST(IsTypoOf, AtMostTwoEdits) {
    for (const char* typo : {"pth", "paht", "Path", "patch", "paths", "path:", "apht"}) {
        EXPECT_TRUE(is_typo_of(typo, "path")) << typo;
    }
    for (const char* word : {"path", "prune", "wait", "p", ""}) {
        EXPECT_FALSE(is_typo_of(word, "path")) << word;
    }
    EXPECT_TRUE(is_typo_of("erf", "ref"));
    EXPECT_FALSE(is_typo_of("env", "ref"));
    EXPECT_FALSE(is_typo_of("nameSuffix", "namePrefix"));
    EXPECT_TRUE(is_typo_of("valuesFile", "valueFiles"));
    EXPECT_TRUE(is_typo_of("https:/kubernetes.default.svc", "https://kubernetes.default.svc"));
    EXPECT_FALSE(is_typo_of("kubernetes", "https://kubernetes.default.svc"));
}

struct RequiredRow {
    const char* object;
    const char* message;  // "" = the object is complete
    bool is_missing;
};

TEST(IncompleteObject, WhatTheSchemaRequires) {
    const RequiredRow rows[] = {
        {"kind: Application\nmetadata: {name: a}\nspec: {project: p, destination: {name: d}}\n", "",
         false},
        {"kind: Application\nmetadata: {name: a}\nspec: {project: p, destination: {}}\n",
         "spec.destination needs either name or server", true},
        {"kind: Application\nmetadata: {name: a}\n"
         "spec: {project: p, destination: {name: d, server: s}}\n",
         "spec.destination needs either name or server", false},
        {"kind: Application\nmetadata: {name: a}\n"
         "spec: {project: p, destination: {name: d}, source: {repoURL: u, path: /a}}\n",
         "spec.source.path begins with \"/\"", false},
        {"kind: Application\nmetadata: {name: A_1}\nspec: {project: p, destination: {name: d}}\n",
         "metadata.name is A_1, which cannot be the name of an object", false},
        {"kind: Application\nmetadata: {name: 1}\nspec: {project: p, destination: {name: d}}\n",
         "metadata.name is a number, not text", false},
        {"kind: Application\nspec: {destination: {}}\n", "metadata.name is required", false},
        {"kind: Application\nmetadata: {name: a}\nspec: {source: {}}\n",
         "spec.source.repoURL is missing; spec.destination is missing", true},
        {"kind: Application\nmetadata: {name: a}\n", "spec is missing", true},
        {"kind: Application\nmetadata: {name: a}\nspec: {project: p, destination: here}\n",
         "spec.destination has the wrong type: a string, not a map", false},
        {"kind: ApplicationSet\nmetadata: {name: a}\n"
         "spec: {template: {metadata: {}, spec: {project: p, destination: {}}}, generators: {}}\n",
         "spec.generators has the wrong type: a map, not a list", false},
        {"kind: ApplicationSet\nmetadata: {name: a}\n"
         "spec: {template: {metadata: {}, spec: {project: p, destination: {}}}, generators: []}\n",
         "", false},
        {"kind: ApplicationSet\nmetadata: {name: a}\nspec: {generators: []}\n",
         "spec.template is missing", true},
        {"kind: Kustomization\nmetadata: {name: a}\nspec: {path: a}\n", "spec.sourceRef is missing",
         true},
        {"kind: Kustomization\nmetadata: {name: a}\n"
         "spec: {interval: '1', prune: true, sourceRef: {kind: GitRepository, name: b}}\n",
         "invalid value of spec.interval: \"1\", not a duration, such as \"10m\" or \"1h30m\"",
         false},
        {"kind: Kustomization\nmetadata: {name: a}\n"
         "spec: {interval: '${X}', prune: true, sourceRef: {kind: GitRepository, name: b}}\n",
         "", false},
        {"kind: HelmRelease\nmetadata: {name: a}\n"
         "spec: {interval: 1h, chartRef: {kind: OCIRepository, name: b}}\n",
         "", false},
        {"kind: HelmRelease\nmetadata: {name: a}\n"
         "spec: {interval: 1h, chartRef: {kind: OCIRepository}}\n",
         "spec.chartRef.name is missing", true},
        {"kind: HelmRelease\nmetadata: {name: a}\nspec: {interval: 1h, chart: {}}\n",
         "spec.chart.spec is missing", true},
        {"kind: HelmRelease\nmetadata: {name: a}\nspec: {interval: 1h, values: {}}\n",
         "spec.chart or spec.chartRef is missing", true},
        {"kind: HelmRelease\nmetadata: {name: a}\nspec: {interval: 1h, chart: web}\n",
         "spec.chart has the wrong type: a string, not a map", false},
        {"kind: Application\nmetadata: {name: a}\n"
         "spec: {project: p, destination: {name: d}, source: {repoURL: u, helm: {values: {a: "
         "b}}}}\n",
         "spec.source.helm.values has the wrong type: a map, not a string; valuesObject "
         "takes a map",
         false},
        {"kind: ResourceSet\nmetadata: {name: a}\n", "", false},
    };
    for (const RequiredRow& row : rows) {
        SourceMap sources;
        Diagnostics mistakes;
        const Value object = read_yaml(sources, sources.add("x.yaml", row.object), mistakes);
        const std::optional<IncompleteObject> found = incomplete_object(object);
        EXPECT_EQ(found ? found->message : "", row.message) << row.object;
        EXPECT_EQ(found && found->is_missing, row.is_missing) << row.object;
    }
}

TEST(LackingSettings, AreFieldsThatDoNotChangeWhatIsApplied) {
    SourceMap sources;
    Diagnostics mistakes;
    const Value object = read_yaml(
        sources,
        sources.add("x.yaml", "kind: Kustomization\nmetadata: {name: a}\nspec: {path: a}\n"),
        mistakes);
    const std::optional<IncompleteObject> found = lacking_settings(object);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->message, "spec.interval is missing; spec.prune is missing");
}

}  // namespace
}  // namespace renderer::engines
