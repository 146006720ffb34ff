#include "renderer/emit/output_path.h"

#include <gtest/gtest.h>

#include <string>

namespace renderer::emit {
namespace {

TEST(OutputPath, StaysInside) {
    for (const std::string good :
         {"a", "shop/service_web.yaml", "a b/c", ".hidden/x", "...", "a..b"}) {
        EXPECT_TRUE(is_output_path(good)) << good;
    }
    for (const std::string bad :
         {"", "/a", "a/", "a//b", "..", "../a", "a/../b", "./a", "a/.", "a\nb/c", "a/b\x7f",
          ".git/x", "x/.GIT/config", ".tailrender-inventory", "a/.tailrender-temporary",
          ".tailrender.yaml", "a\xff", "\xe2\x80\xae"}) {
        EXPECT_FALSE(is_output_path(bad)) << bad;
    }
    EXPECT_FALSE(is_output_path(std::string(256, 'a')));
    std::string deep = "a";
    for (int i = 0; i < 2000; ++i) {
        deep += "/a";
    }
    EXPECT_FALSE(is_output_path(deep));
}

TEST(OutputPath, ShortensLongNamesOfFiles) {
    EXPECT_EQ(object_file_name("Service", "web"), "service_web.yaml");
    const std::string name(253, 'a');
    const std::string file = object_file_name("ConfigMap", name);
    EXPECT_EQ(file.size(), 255U);
    EXPECT_TRUE(file.starts_with("configmap_aaa") && file.ends_with(".yaml"));
    EXPECT_NE(file, object_file_name("ConfigMap", name.substr(1) + "b"));
    EXPECT_EQ(object_file_name("X", std::string(248, 'a')).size(), 255U);
    EXPECT_EQ(object_file_name("X", std::string(248, 'a')), "x_" + std::string(248, 'a') + ".yaml");
}

}  // namespace
}  // namespace renderer::emit
