#include "renderer/kube/kinds.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "renderer/base/ascii.h"

namespace renderer::inline kube {
namespace {

TEST(Kinds, AreSortedAndHaveNamesOfTheirOwn) {
    const auto place = [](const Kind& kind) { return std::tuple(kind.group(), kind.name); };
    EXPECT_TRUE(std::ranges::is_sorted(kKinds, {}, place));
    for (const Kind& kind : kKinds) {
        EXPECT_EQ(find_kind(kind.name), &kind) << kind.name;
    }
    EXPECT_EQ(find_kind("Widget"), nullptr);
}

TEST(Kinds, HaveTheirNameInThePlural) {
    for (const Kind& kind : kKinds) {
        std::string plural = lower_case(kind.name);
        if (plural.ends_with('y') && !plural.ends_with("ay")) {
            plural.replace(plural.size() - 1, 1, "ie");
        } else if (plural.ends_with('s')) {
            plural += 'e';
        }
        EXPECT_EQ(kind.plural, plural + 's');
    }
}

TEST(Kinds, KnowTheirGroup) {
    EXPECT_EQ(kind_of("Secret").group(), "");
    EXPECT_EQ(kind_of("StatefulSet").group(), "apps");
    EXPECT_EQ(kind_of("ProxyGroupPolicy").crd_name(), "proxygrouppolicies.tailscale.com");
    EXPECT_EQ(custom_kinds().size(), 8);
    for (const Kind& kind : kKinds) {
        EXPECT_EQ(kind.is_custom(), kind.group() == kCustomGroup) << kind.name;
    }
}

TEST(Kinds, KnowWhatIsMadeForThem) {
    for (const Kind& kind : kKinds) {
        const KindRole& role = kind.role;
        EXPECT_TRUE(!kind.is_custom() || role.is_parent || kind.name == "ProxyGroupPolicy");
        EXPECT_TRUE(!role.pods || role.is_parent || kind.name == "Deployment") << kind.name;
        EXPECT_TRUE(!kind.is_custom() || !role.is_parent || !role.condition.empty()) << kind.name;
    }
    EXPECT_EQ(find_pods("Connector/edge"), &*kind_of("Connector").role.pods);
    EXPECT_EQ(find_pods("Service/shop/web"), &*kind_of("Service").role.pods);
    EXPECT_EQ(find_pods("Tailnet/lab"), nullptr);
    EXPECT_EQ(find_pods("Widget/lab"), nullptr);
    EXPECT_EQ(find_kind_in("Tailnet/lab"), &kind_of("Tailnet"));
}

TEST(Kinds, AreFoundByTheOperatorsLabels) {
    EXPECT_EQ(parent_in_labels("svc", "shop", "web"), "Service/shop/web");
    EXPECT_EQ(parent_in_labels("ingress", "shop", "web"), "Ingress/shop/web");
    EXPECT_EQ(parent_in_labels("connector", "", "edge"), "Connector/edge");
    EXPECT_EQ(parent_in_labels("proxygroup", "", "edge"), "ProxyGroup/edge");
    EXPECT_EQ(parent_in_labels("peerrelay", "", "edge"), "PeerRelay/edge");
    EXPECT_EQ(parent_in_labels("nameserver", "tailscale", "dns"), "DNSConfig/dns");
    EXPECT_EQ(parent_in_labels("api-proxy", "tailscale", "operator"),
              "Deployment/tailscale/operator");
    EXPECT_EQ(parent_in_labels("", "shop", "web"), "");
    EXPECT_EQ(parent_in_labels("other", "shop", "web"), "");
}

TEST(Kinds, KnowTheirScope) {
    EXPECT_TRUE(is_cluster_scoped("v1", "Namespace"));
    EXPECT_TRUE(is_cluster_scoped("rbac.authorization.k8s.io/v1", "ClusterRole"));
    EXPECT_TRUE(is_cluster_scoped("networking.k8s.io/v1beta1", "IPAddress"));
    EXPECT_TRUE(is_cluster_scoped("tailscale.com/v1alpha1", "ProxyClass"));
    EXPECT_FALSE(is_cluster_scoped("tailscale.com/v1alpha1", "ProxyGroupPolicy"));
    EXPECT_FALSE(is_cluster_scoped("v1", "Service"));
    EXPECT_FALSE(is_cluster_scoped("example.com/v1", "Namespace"));
}

}  // namespace
}  // namespace renderer::inline kube
