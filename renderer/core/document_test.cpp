#include "renderer/core/document.h"

#include <gtest/gtest.h>

namespace renderer {
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

TEST(Document, KnowsScopes) {
    EXPECT_TRUE(is_cluster_scoped("v1", "Namespace"));
    EXPECT_TRUE(is_cluster_scoped("rbac.authorization.k8s.io/v1", "ClusterRole"));
    EXPECT_TRUE(is_cluster_scoped("tailscale.com/v1alpha1", "ProxyClass"));
    EXPECT_FALSE(is_cluster_scoped("tailscale.com/v1alpha1", "ProxyGroupPolicy"));
    EXPECT_FALSE(is_cluster_scoped("v1", "Service"));
    EXPECT_FALSE(is_cluster_scoped("example.com/v1", "Namespace"));
}

}  // namespace
}  // namespace renderer
