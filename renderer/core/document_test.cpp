#include "renderer/core/document.h"

#include <gtest/gtest.h>

namespace renderer::inline core {
namespace {

TEST(Document, NamesObjects) {
    EXPECT_EQ(object_name("Service", "shop", "web"), "Service/shop/web");
    EXPECT_EQ(object_name("Namespace", "", "shop"), "Namespace/shop");
    Object object;
    object.root = Value::map({{"apiVersion", "v1"},
                              {"kind", "Secret"},
                              {"metadata", Value::map({{"name", "a"}, {"namespace", "b"}})}});
    EXPECT_EQ(object.object_name(), "Secret/b/a");
}

}  // namespace
}  // namespace renderer::inline core
