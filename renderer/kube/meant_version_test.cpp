#include "renderer/kube/meant_version.h"

#include <gtest/gtest.h>

namespace renderer {
namespace {

TEST(MeantVersion, IsThatOfTheInputWhoseGroupIsMisspelled) {
    EXPECT_EQ(meant_version("netwroking.k8s.io/v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("network.k8s.io/v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("v1", "Ingress"), "networking.k8s.io/v1");
    EXPECT_EQ(meant_version("core/v1", "Service"), "v1");
    EXPECT_EQ(meant_version("tailscael.com/v1alpha1", "Connector"), "tailscale.com/v1alpha1");
    EXPECT_EQ(meant_version("v1alpha1", "ProxyClass"), "tailscale.com/v1alpha1");
}

TEST(MeantVersion, IsNoneOfAnotherProject) {
    EXPECT_EQ(meant_version("serving.knative.dev/v1", "Service"), "");
    EXPECT_EQ(meant_version("networking.internal.knative.dev/v1alpha1", "Ingress"), "");
    EXPECT_EQ(meant_version("config.openshift.io/v1", "Ingress"), "");
    EXPECT_EQ(meant_version("camel.apache.org/v1", "Connector"), "");
    EXPECT_EQ(meant_version("v1", "Kamelet"), "");
}

TEST(MeantVersion, IsNoneOfWhatIsRight) {
    EXPECT_EQ(meant_version("networking.k8s.io/v1", "Ingress"), "");
    EXPECT_EQ(meant_version("tailscale.com/v1beta1", "Connector"), "");
    EXPECT_EQ(meant_version("v1", "Service"), "");
}

TEST(MisspelledCustomGroup, IsSeenHoweverTheKeyIsWritten) {
    EXPECT_TRUE(misspells_custom_group("apiVersion: tailscael.com/v1alpha1\nkind: Connector\n"));
    EXPECT_TRUE(misspells_custom_group("{\"apiVersion\": \"tailscal.com/v1alpha1\"}"));
    EXPECT_TRUE(misspells_custom_group("apiVersion: v1\n---\napiVersion: 'tialscale.com/v1'\n"));
    EXPECT_FALSE(misspells_custom_group("apiVersion: traefik.io/v1alpha1\n"));
    EXPECT_FALSE(misspells_custom_group("apiVersion: v1\nname: tailscael.com/v1\n"));
    EXPECT_FALSE(misspells_custom_group("apiVersion"));
}

}  // namespace
}  // namespace renderer
