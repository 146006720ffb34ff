#include "renderer/engines/flux/source_key.h"

#include <gtest/gtest.h>

namespace renderer::engines {
namespace {

TEST(SourceAddress, OfOneRepositoryIsOneHoweverItIsSpelled) {
    for (const char* text :
         {"https://github.com/acme/web//deploy?ref=v1",
          "https://github.com/acme/web.git//deploy?ref=v1",
          "https://me@GitHub.com/acme/web/deploy?ref=v1", "github.com/acme/web/deploy?ref=v1",
          "git@github.com:acme/web.git//deploy?ref=v1",
          "ssh://git@github.com:22/acme/web//deploy?ref=v1",
          "git::https://github.com/acme/web//deploy?timeout=90s&version=v1"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(parse_address(text), (SourceAddress{"github.com/acme/web/deploy", "v1"}));
    }
}

TEST(SourceAddress, NeedsAHostAndLeadsNowhereUp) {
    for (const char* text :
         {"", "web", "https://", "https://example.com", "https://example.com/a/../../b"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(parse_address(text), std::nullopt);
    }
}

TEST(SourceAddress, OfARawFileIsThatOfItsRepository) {
    const SourceAddress want{"github.com/acme/web/deploy/all.yaml", "v1"};
    for (const char* text :
         {"https://raw.githubusercontent.com/acme/web/v1/deploy/all.yaml",
          "https://raw.githubusercontent.com/acme/web/refs/tags/v1/deploy/all.yaml",
          "https://github.com/acme/web/raw/v1/deploy/all.yaml"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(raw_address(*parse_address(text)), want);
    }
    EXPECT_EQ(raw_address(*parse_address("https://github.com/acme/web/deploy/all.yaml")),
              std::nullopt);
    EXPECT_EQ(raw_address(*parse_address("https://raw.githubusercontent.com/acme/web/v1")),
              std::nullopt);
}

TEST(SourceKey, IsAnObjectOfFluxOrAnAddress) {
    const auto object = parse_source_key("OCIRepository/flux-system/apps");
    ASSERT_TRUE(object);
    EXPECT_EQ(object->kind, "OCIRepository");
    EXPECT_EQ(object->ns, "flux-system");
    EXPECT_EQ(object->name, "apps");
    EXPECT_EQ(parse_source_key("Bucket/apps")->ns, "");
    EXPECT_EQ(parse_source_key("https://example.com/a")->address.path, "example.com/a");
    for (const char* text : {"", "apps", "GitRepository", "GitRepository/", "GitRepository/a/b/c",
                             "GitRepository/../a", "HelmRepository/apps", "apps/web"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(parse_source_key(text));
    }
}

TEST(Source, EndsWithADirectory) {
    const auto given = parse_source("https://example.com/a?ref=v1=../a");
    ASSERT_TRUE(given);
    EXPECT_EQ(given->key, "https://example.com/a?ref=v1");
    EXPECT_EQ(given->dir, "../a");
    EXPECT_FALSE(parse_source("Bucket/apps"));
    EXPECT_FALSE(parse_source("Bucket/apps="));
    EXPECT_FALSE(parse_source("=apps"));
}

}  // namespace
}  // namespace renderer::engines
