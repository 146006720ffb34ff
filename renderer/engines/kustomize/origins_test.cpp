#include "renderer/engines/kustomize/origins.h"

#include <gtest/gtest.h>

namespace renderer {
namespace {

constexpr const char* kStream =
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: prod-web\n  namespace: shop\n"
    "---\n"
    "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: prod-c-4h2mbtbbt6\n"
    "---\n"
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: from-elsewhere\n";

// kustomize sorts them in another way, since `sortOptions` counts only at the top.
constexpr const char* kAnnotated =
    "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  annotations:\n"
    "    config.kubernetes.io/origin: |\n"
    "      configuredIn: ../tree/app/kustomization.yaml\n"
    "      configuredBy:\n        apiVersion: builtin\n        kind: ConfigMapGenerator\n"
    "  name: prod-c-4h2mbtbbt6\n"
    "---\n"
    "apiVersion: v1\nkind: Service\nmetadata:\n  annotations:\n"
    "    config.kubernetes.io/origin: |\n      path: ../tree/base/web.yaml\n"
    "  name: prod-web\n  namespace: shop\n";

TEST(Origins, AreFoundWhateverTheOrder) {
    const std::vector<DocumentOrigin> origins = origins_of(kStream, kAnnotated);
    ASSERT_EQ(origins.size(), 3U);
    EXPECT_EQ(origins[0].file, "../tree/base/web.yaml");
    EXPECT_EQ(origins[1].file, "../tree/app/kustomization.yaml");
    EXPECT_EQ(origins[2].file, "");
    EXPECT_EQ(origin_at(origins, 0)->file, origins[0].file);
    EXPECT_EQ(origin_at(origins, std::string(kStream).find("4h2mbtbbt6"))->file, origins[1].file);
    EXPECT_EQ(origin_at(origins, std::string(kStream).size())->file, "");
    EXPECT_EQ(origin_at({}, 0), nullptr);
}

TEST(Origins, AreUnknownWithoutAnnotations) {
    for (const DocumentOrigin& origin : origins_of(kStream, "a: [\n")) {
        EXPECT_EQ(origin.file, "");
    }
}

TEST(Origins, NameDocumentsInsteadOfLines) {
    SourceMap sources;
    const SourceId source = sources.add("kustomize build app", kStream);
    name_documents(origins_of(kStream, kAnnotated), source, "../tree", sources);
    EXPECT_EQ(sources.describe(sources.pos(source, 20)),
              "../tree/base/web.yaml (kustomize build app)");
    EXPECT_EQ(sources.file_of_part(sources.pos(source, 20)), "base/web.yaml");
    EXPECT_EQ(sources.describe(sources.pos(source, std::string(kStream).size())),
              "kustomize build app");
}

TEST(Origins, AreAskedForWhateverTheDirectoryIsCalled) {
    EXPECT_EQ(kustomization_with_origins("../tree/a: b"),
              "buildMetadata:\n- originAnnotations\nresources:\n- \"../tree/a: b\"\n");
}

}  // namespace
}  // namespace renderer
