#include "renderer/engines/kustomize/origins.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_reader.h"

namespace renderer::engines {
namespace {

// The output of kustomize with origin annotations.
constexpr const char* kAnnotated =
    "apiVersion: v1\nkind: Service\nmetadata:\n  annotations:\n"
    "    a.example.com/text: |\n      config.kubernetes.io/origin: |\n\n        path: no\n"
    "    config.kubernetes.io/origin: |\n      path: ../base/web.yaml\n"
    "    config.kubernetes.io/origin-note: mine\n"
    "    tailscale.com/expose: \"true\"\n"
    "  name: prod-web\n  namespace: shop\n"
    "---\n"
    "apiVersion: v1\ndata:\n  a: |\n    config.kubernetes.io/origin: |\n      path: no\n"
    "kind: ConfigMap\nmetadata:\n  annotations:\n"
    "    config.kubernetes.io/origin: |\n"
    "      configuredIn: kustomization.yaml\n"
    "      configuredBy:\n        apiVersion: builtin\n        kind: ConfigMapGenerator\n"
    "  name: prod-c-4h2mbtbbt6\n"
    "---\n"
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: from-elsewhere\n";

constexpr const char* kStream =
    "apiVersion: v1\nkind: Service\nmetadata:\n  annotations:\n"
    "    a.example.com/text: |\n      config.kubernetes.io/origin: |\n\n        path: no\n"
    "    config.kubernetes.io/origin-note: mine\n"
    "    tailscale.com/expose: \"true\"\n"
    "  name: prod-web\n  namespace: shop\n"
    "---\n"
    "apiVersion: v1\ndata:\n  a: |\n    config.kubernetes.io/origin: |\n      path: no\n"
    "kind: ConfigMap\nmetadata:\n  name: prod-c-4h2mbtbbt6\n"
    "---\n"
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: from-elsewhere\n";

Value kustomization(const std::string& text) {
    SourceMap sources;
    Diagnostics discarded;
    return read_yaml(sources, sources.add("", text), discarded);
}

BuildWithOrigins taken(const std::string& text = "resources: [a]\n") {
    return take_origins(kAnnotated, kustomization(text));
}

TEST(Origins, AreTakenOutOfTheStream) {
    const BuildWithOrigins build = taken();
    EXPECT_EQ(build.stream, kStream);
    ASSERT_EQ(build.origins.size(), 3U);
    EXPECT_EQ(build.origins[0].file, "../base/web.yaml");
    EXPECT_EQ(build.origins[1].file, "kustomization.yaml");
    EXPECT_EQ(build.origins[2].file, "");
    EXPECT_EQ(origin_at(build.origins, 0)->file, build.origins[0].file);
    EXPECT_EQ(origin_at(build.origins, std::string(kStream).find("4h2mbtbbt6"))->file,
              build.origins[1].file);
    EXPECT_EQ(origin_at(build.origins, std::string(kStream).size())->file, "");
    EXPECT_EQ(origin_at({}, 0), nullptr);
}

TEST(Origins, StayWhereTheUserAsksForThem) {
    const BuildWithOrigins build = taken("buildMetadata: [originAnnotations]\nresources: [a]\n");
    EXPECT_EQ(build.stream, kAnnotated);
    EXPECT_EQ(build.origins.at(1).file, "kustomization.yaml");
}

TEST(Origins, AreUnknownWithoutAnnotations) {
    for (const char* text : {"", "a: [\n", "kind: Service\nmetadata:\n  name: web\n"}) {
        const BuildWithOrigins build = take_origins(text, kustomization("resources: [a]\n"));
        EXPECT_EQ(build.stream, text);
        for (const DocumentOrigin& origin : build.origins) {
            EXPECT_EQ(origin.file, "");
        }
    }
}

TEST(Origins, NameDocumentsInsteadOfLines) {
    SourceMap sources;
    const SourceId source = sources.add("kustomize build app", kStream);
    name_documents(taken().origins, source, sources);
    EXPECT_EQ(sources.describe(sources.pos(source, 20)), "../base/web.yaml (kustomize build app)");
    EXPECT_EQ(sources.file_of_part(sources.pos(source, 20)), "../base/web.yaml");
    EXPECT_EQ(sources.describe(sources.pos(source, std::string(kStream).size())),
              "kustomize build app");
}

struct AskingRow {
    const char* text;
    const char* asking;
};

TEST(Origins, AreAskedForInTheKustomization) {
    const AskingRow rows[] = {
        {"resources: [a]\n", "resources: [a]\nbuildMetadata: [originAnnotations]\n"},
        {"# b\nresources: [a]\n", "# b\nresources: [a]\nbuildMetadata: [originAnnotations]\n"},
        {"resources: [a]", "buildMetadata:\n- originAnnotations\nresources:\n- a\n"},
        {"\n{resources: [a]}\n", "buildMetadata:\n- originAnnotations\nresources:\n- a\n"},
        {"resources: [a]\n...\n", "buildMetadata:\n- originAnnotations\nresources:\n- a\n"},
        {"buildMetadata: [originAnnotations]\n", "buildMetadata: [originAnnotations]\n"},
        {"buildMetadata: [managedByLabel]\n",
         "buildMetadata:\n- managedByLabel\n- originAnnotations\n"},
        {"buildMetadata:\n", "buildMetadata:\n- originAnnotations\n"},
    };
    for (const AskingRow& row : rows) {
        EXPECT_EQ(asking_for_origins(row.text, kustomization(row.text)), row.asking);
    }
}

TEST(Origins, AreNotAskedForInAKustomizationThatIsEmpty) {
    EXPECT_TRUE(can_ask_origins(kustomization("resources: [a]\n")));
    EXPECT_TRUE(can_ask_origins(kustomization("generatorOptions: {disableNameSuffixHash: true}")));
    for (const char* text : {"", "[]", "kind: Kustomization\n", "metadata: {name: a}\n",
                             "resources: []\n", "resources:\n"}) {
        EXPECT_FALSE(can_ask_origins(kustomization(text))) << text;
    }
}

}  // namespace
}  // namespace renderer::engines
