#include "renderer/kube/image_reference.h"

#include <gtest/gtest.h>

namespace renderer::inline kube {
namespace {

std::string error_of(std::string_view text) {
    return parse_image_reference(text).error;
}

TEST(ImageReference, AcceptsWhatARegistryServes) {
    const std::string digest(64, 'a');
    for (const std::string& text :
         {std::string("tailscale"), std::string("tailscale/tailscale:v1.96.5"),
          std::string("localhost/a/b__c-d.e:x"), std::string("host:5000/a"),
          std::string("[::1]:5000/a:latest"), std::string("registry.example.org/a/b:1_2.3-4"),
          std::string("EXAMPLE/a"), "a/b@sha256:" + digest, "a/b:1@sha256:" + digest,
          std::string("a---b/c")}) {
        EXPECT_EQ(error_of(text), "") << text;
    }
}

TEST(ImageReference, SaysWhyATextIsInvalid) {
    EXPECT_EQ(error_of("Not An Image"),
              "invalid reference format: repository name (library/Not An Image) must be lowercase");
    EXPECT_EQ(error_of("UPPER/case:bad image"), "invalid reference format");
    EXPECT_EQ(error_of(std::string(64, 'a')), "invalid repository name (" + std::string(64, 'a') +
                                                  "), cannot specify 64-byte hexadecimal strings");
    EXPECT_EQ(error_of(std::string(256, 'a')),
              "repository name must not be more than 255 characters");
    for (const std::string_view text :
         {" a", "a b", "a:", "a@", "a@sha256:00", "a//b", "a/", "/a", "-a", "a..b", "a___b", "a_.b",
          "host:x/a", "[::1/a", "[x]/a", "a.b-./c", "a:.b", "a\n"}) {
        EXPECT_EQ(error_of(text), "invalid reference format") << text;
    }
}

TEST(ImageReference, FindsThePathAndWhetherItCanChange) {
    const ImageReference mirror =
        parse_image_reference("mirror.example.net:5000/ts/tailscale:v1.96.5");
    EXPECT_EQ(mirror.path, "ts/tailscale");
    EXPECT_TRUE(mirror.pinned);
    const ImageReference plain = parse_image_reference("index.docker.io/tailscale:stable");
    EXPECT_EQ(plain.path, "library/tailscale");
    EXPECT_FALSE(plain.pinned);
    EXPECT_TRUE(is_pinned("v0.2.0-1.104.5", ""));
    EXPECT_FALSE(is_pinned("v0.2.0-debug", ""));
    EXPECT_FALSE(is_pinned("v0.1-1.104.5", ""));
    EXPECT_FALSE(is_pinned("", ""));
    EXPECT_TRUE(parse_image_reference("a@sha256:" + std::string(64, '0')).pinned);
}

}  // namespace
}  // namespace renderer::inline kube
