#include "renderer/kube/meant_version.h"

#include <gtest/gtest.h>

namespace renderer::inline kube {
namespace {

TEST(MeantVersion, IsThatOfTheInputWhoseGroupIsMisspelled) {
    EXPECT_EQ(meant_version("netwroking.k8s.io/v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("networking/v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("ingress.k8s.io/v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("core/v1", "Service"), "v1");
    EXPECT_EQ(meant_version("Cor/v1", "Service"), "v1");
    EXPECT_EQ(meant_version("apps/v1", "Service"), "v1");
    EXPECT_EQ(meant_version("tailscael.com/v1alpha1", "Connector"), "tailscale.com/v1alpha1");
    EXPECT_EQ(meant_version("v1alpha1", "ProxyClass"), "tailscale.com/v1alpha1");
    EXPECT_EQ(meant_version("tailscale/v1alpha1", "ProxyGroup"), "tailscale.com/v1alpha1");
    EXPECT_EQ(meant_version("operator.tailscale.com/v1", "ProxyGroup"), "tailscale.com/v1alpha1");
}

TEST(MeantVersion, IsNoneOfAnotherProject) {
    EXPECT_EQ(meant_version("serving.knative.dev/v1", "Service"), "");
    EXPECT_EQ(meant_version("networking.internal.knative.dev/v1alpha1", "Ingress"), "");
    EXPECT_EQ(meant_version("config.openshift.io/v1", "Ingress"), "");
    EXPECT_EQ(meant_version("camel.apache.org/v1", "Connector"), "");
    EXPECT_EQ(meant_version("v1", "Kamelet"), "");
    EXPECT_EQ(meant_version("anyscale.com/v1", "DNSConfig"), "");
    EXPECT_EQ(meant_version("tailscale.crossplane.io/v1alpha1", "Connector"), "");
    EXPECT_EQ(meant_version("tailscale.upbound.io/v1alpha1", "Tailnet"), "");
}

TEST(MeantVersion, IsNoneOfWhatIsRight) {
    EXPECT_EQ(meant_version("networking.k8s.io/v1", "Ingress"), "");
    EXPECT_EQ(meant_version("tailscale.com/v1beta1", "Connector"), "");
    EXPECT_EQ(meant_version("v1", "Service"), "");
}

TEST(MisspelledCustomGroup, IsSeenHoweverTheKeyIsWritten) {
    EXPECT_TRUE(misspells_custom_group("apiVersion: tailscael.com/v1alpha1\nkind: Connector\n"));
    EXPECT_TRUE(misspells_custom_group("{\"apiVersion\": \"tailscal.com/v1alpha1\"}"));
    EXPECT_TRUE(misspells_custom_group("annotations: {tialscale.com/expose: 'true'}"));
    EXPECT_TRUE(misspells_custom_group("tailscale.co/expose"));
    EXPECT_FALSE(misspells_custom_group("apiVersion: traefik.io/v1alpha1\n"));
    EXPECT_FALSE(misspells_custom_group("apiVersion: planetscale.com/v2\n"));
    EXPECT_FALSE(misspells_custom_group("apiVersion: timescale.com/v2\n"));
    EXPECT_FALSE(misspells_custom_group("https://a-tailscael.com/v1, tailscael.com\n"));
    EXPECT_FALSE(misspells_custom_group("/"));
}

}  // namespace
}  // namespace renderer::inline kube
