#include "renderer/emit/order.h"

#include <gtest/gtest.h>

namespace renderer::emit {
namespace {

TEST(Order, FollowsHelmsInstallOrder) {
    const std::string_view order[] = {"PriorityClass", "Namespace",    "ServiceAccount",
                                      "Secret",        "ConfigMap",    "CustomResourceDefinition",
                                      "ClusterRole",   "Role",         "RoleBinding",
                                      "Service",       "Deployment",   "StatefulSet",
                                      "CronJob",       "IngressClass", "Ingress",
                                      "APIService"};
    const auto rank = [](std::string_view kind) { return order_key("", kind, "", "").rank; };
    for (std::size_t i = 1; i < std::size(order); ++i) {
        EXPECT_LT(rank(order[i - 1]), rank(order[i])) << order[i];
    }
}

TEST(Order, PutsUnknownKindsLastByNameOfKind) {
    const OrderKey last = order_key("v1", "ValidatingWebhookConfiguration", "z", "z");
    const OrderKey a = order_key("x/v1", "Alpha", "z", "z");
    const OrderKey b = order_key("x/v1", "Beta", "a", "a");
    EXPECT_LT(last, a);
    EXPECT_LT(a, b);
}

TEST(Order, SortsWithinAKindByNamespaceThenName) {
    const OrderKey first = order_key("v1", "Service", "a", "z");
    EXPECT_LT(order_key("v1", "Service", "", "z"), first);
    EXPECT_LT(first, order_key("v1", "Service", "b", "a"));
    EXPECT_LT(first, order_key("v1", "Service", "b", "b"));
    EXPECT_LT(first, order_key("v2", "Service", "a", "z"));
}

}  // namespace
}  // namespace renderer::emit
