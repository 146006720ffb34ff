#include "renderer/plan/settings/settings.h"

#include <gtest/gtest.h>

#include "renderer/plan/settings/settings_testing.h"

namespace renderer::plan {
namespace {

using Tags = std::vector<std::string>;

TEST(DecodeSettings, DefaultsAreTheCharts) {
    const Decoded decoded({});
    const Settings& settings = decoded.settings;
    EXPECT_EQ(decoded.dump(), "");
    EXPECT_EQ(settings.ns, "tailscale");
    EXPECT_EQ(settings.cluster_domain, "cluster.local");
    EXPECT_EQ(settings.proxy_image.reference(), "tailscale/tailscale:v1.104.5");
    EXPECT_FALSE(settings.image.is_named());
    EXPECT_FALSE(settings.native_image.is_named());
    EXPECT_EQ(settings.dataplane, Dataplane::Containerboot);
    EXPECT_FALSE(settings.sets_dataplane);
    EXPECT_EQ(settings.default_tags, Tags{"tag:k8s"});
    EXPECT_EQ(settings.firewall_mode, "auto");
    EXPECT_EQ(settings.ingress_class, "tailscale");
    EXPECT_TRUE(settings.ingress_class_enabled);
    EXPECT_FALSE(settings.default_load_balancer);
    EXPECT_EQ(settings.inputs, InputsMode::Partial);
    EXPECT_EQ(settings.secrets, SecretsMode::Reference);
}

TEST(DecodeSettings, TheImageOfProxiesChoosesTheDataplane) {
    const Settings named = std::move(Decoded({kOwnImages}).settings);
    EXPECT_EQ(named.image.reference(),
              "registry.example.com/tailrender-runtime:v" TAILRENDER_VERSION);
    EXPECT_EQ(named.native_image.reference(),
              "registry.example.com/tailrender-proxy:v" TAILRENDER_VERSION "-1.104.5");
    EXPECT_TRUE(named.native_image.pinned());
    EXPECT_EQ(named.dataplane, Dataplane::Native);
    EXPECT_FALSE(named.sets_dataplane);
    const std::vector<std::pair<std::string_view, Dataplane>> rows = {
        {"containerboot", Dataplane::Containerboot}, {"native", Dataplane::Native}};
    for (const auto& [name, want] : rows) {
        const std::string values = fmt::format("tailrender: {{dataplane: {}}}", name);
        for (const std::vector<std::string_view>& layers :
             {std::vector<std::string_view>{values}, {kOwnImages, values}}) {
            const Decoded decoded(layers);
            EXPECT_EQ(decoded.settings.dataplane, want) << values;
            EXPECT_TRUE(decoded.settings.sets_dataplane) << values;
            EXPECT_TRUE(decoded.settings.dataplane_pos.known()) << values;
        }
    }
}

TEST(DecodeSettings, TheOperatorsNamespaceIsTheDefaultAndTheSettingWins) {
    EXPECT_EQ(Decoded({}, "ts-sys").settings.ns, "ts-sys");
    EXPECT_EQ(Decoded({"tailrender: {namespace: other}"}, "ts-sys").settings.ns, "other");
}

TEST(DecodeSettings, ImagesFollowTheChart) {
    const std::vector<std::pair<std::string_view, std::string_view>> rows = {
        {"proxyConfig: {image: {tag: stable}}", "tailscale/tailscale:stable"},
        {"proxyConfig: {image: {repository: a/b}}", "a/b:v1.98.3"},
        {"proxyConfig: {image: {repo: c/d, repository: a/b}}", "c/d:v1.98.3"},
        {"proxyConfig: {image: {tag: v1.0.0, digest: "
         "'sha256:abababababababababababababababababababababababababababababababab'}}",
         "tailscale/"
         "tailscale@sha256:abababababababababababababababababababababababababababababababab"},
        {"proxyConfig: {image: {tag: null}}", "tailscale/tailscale:v1.98.3"},
    };
    for (const auto& [yaml, want] : rows) {
        const Decoded decoded({yaml}, "", {{.text = "1.98.3", .where = "helm.version"}});
        EXPECT_EQ(decoded.settings.proxy_image.reference(), want) << yaml;
    }
}

TEST(DecodeSettings, LaterLayersWin) {
    const Decoded decoded(
        {"loginServer: https://a.example/\n"
         "proxyConfig: {firewallMode: nftables, defaultTags: tag:a}",
         "proxyConfig: {defaultTags: ' tag:b , tag:c'}\ningressClass: {name: ts}"});
    EXPECT_EQ(decoded.dump(), "");
    EXPECT_EQ(decoded.settings.login_server, "https://a.example");
    EXPECT_EQ(decoded.settings.firewall_mode, "nftables");
    EXPECT_EQ(decoded.settings.default_tags, (Tags{"tag:b", "tag:c"}));
    EXPECT_EQ(decoded.settings.ingress_class, "ts");
}

TEST(DecodeSettings, ExtraEnvSuppliesWhatTheChartHasNoKeyFor) {
    const Decoded decoded(
        {"operatorConfig:\n  extraEnv:\n"
         "  - {name: PROXY_PRIORITY_CLASS_NAME, value: high}\n"
         "  - {name: OPERATOR_DEFAULT_LOAD_BALANCER, value: 'true'}\n"
         "  - {name: K8S_PROXY_IMAGE, value: 'a/b:v1'}\n"
         "  - {name: HTTPS_PROXY, value: 'http://proxy:3128'}"});
    EXPECT_EQ(decoded.dump(), "");
    EXPECT_EQ(decoded.settings.priority_class, "high");
    EXPECT_TRUE(decoded.settings.default_load_balancer);
    EXPECT_EQ(decoded.settings.k8s_proxy_image, "a/b:v1");
    EXPECT_FALSE(Decoded({"operatorConfig: {extraEnv: [{name: OPERATOR_DEFAULT_LOAD_BALANCER, "
                          "value: 'True'}]}"})
                     .settings.default_load_balancer);
}

struct Complaint {
    std::string_view yaml, want;
};

TEST(DecodeSettings, EverythingDoubtfulIsReported) {
    const std::vector<Complaint> rows = {
        {"tailrender: {clusterDomian: x}",
         "1: error [unknown-setting] unknown key \"clusterDomian\" in \"tailrender\" | one of { "
         "apiProxyNamespace, apiProxyUnrecorded, cleanupDelay, clusterDomain, customResources, "
         "dataplane, "
         "externalSecret, hostnameSuffix, "
         "image, inputs, namespace, nodePortRange, operatorVersion, placement, privileges, "
         "proxyImage, "
         "secrets, "
         "serviceMonitors, tailnetDomain, takeOverTag } | did you mean \"clusterDomain\"?\n"},
        {"tailrender: {image: {tags: x}}",
         "1: error [unknown-setting] unknown key \"tags\" in \"tailrender.image\" | one of { "
         "digest, pullPolicy, repository, tag } | did you mean \"tag\"?\n"},
        {"tailrendr: {inputs: complete}",
         "1: error [unknown-setting] unknown key \"tailrendr\" in the values | did you mean "
         "\"tailrender\"?\n"},
        {"tailrender: complete",
         "1: error [wrong-type] \"tailrender\" has the wrong type | a string | a map | write its "
         "keys "
         "below it, as \"key: value\"\n"},
        {"tailrender: {inputs: all}",
         "1: error [unknown-choice] invalid value of \"tailrender.inputs\" | \"all\" | one of "
         "{ "
         "partial, complete }\n"},
        {"tailrender: {serviceMonitors: 'yes'}",
         "1: error [wrong-type] \"tailrender.serviceMonitors\" has the wrong type | a string | "
         "true "
         "or false\n"},
        {"tailrender: {secrets: external}", ""},
        {"tailrender: {externalSecret: {store: Vault!}}",
         "1: error [invalid-setting] invalid \"tailrender.externalSecret.store\" | "
         "\"Vault!\" "
         "| the name of a SecretStore or ClusterSecretStore\n"},
        {"tailrender: {externalSecret: {refreshInterval: daily}}",
         "1: error [invalid-setting] invalid \"tailrender.externalSecret.refreshInterval\" | "
         "\"daily\" | a duration such as \"1h\"\n"},
        {"tailrender: {externalSecret: {storeKind: Store}}",
         "1: error [unknown-choice] invalid value of \"tailrender.externalSecret.storeKind\" | "
         "\"Store\" | one of { SecretStore, ClusterSecretStore }\n"},
        {"tailrender: {externalSecret: {clientId: {name: x}}}",
         "1: error [unknown-setting] unknown key \"name\" in "
         "\"tailrender.externalSecret.clientId\" | one of { key, property }\n"},
        {"tailrender: {customResources: emit}", ""},
        {"tailrender: {customResources: consume}", ""},
        {"tailrender: {privileges: capabilities}", ""},
        {"tailrender: {privileges: capability}",
         "1: error [unknown-choice] invalid value of \"tailrender.privileges\" | \"capability\" | "
         "one of { privileged, capabilities } | did you mean \"capabilities\"?\n"},
        {"tailrender: {apiProxyUnrecorded: [nodes/proxy, virtualmachineinstances/vnc]}", ""},
        {"tailrender: {apiProxyUnrecorded: [nodes]}",
         "1: error [invalid-setting] invalid \"tailrender.apiProxyUnrecorded\" | \"nodes\" | "
         "RESOURCE/SUBRESOURCE such as \"nodes/proxy\"\n"},
        {"tailrender: {nodePortRange: 30000-30100}", ""},
        {"tailrender: {nodePortRange: 30100-30000}",
         "1: error [invalid-setting] invalid \"tailrender.nodePortRange\" | \"30100-30000\" "
         "| a range of ports such as \"30000-32767\"\n"},
        {"tailrender: {nodePortRange: 30000-70000}",
         "1: error [invalid-setting] invalid \"tailrender.nodePortRange\" | \"30000-70000\" "
         "| a range of ports such as \"30000-32767\"\n"},
        {"tailrender: {cleanupDelay: 10m}", ""},
        {"tailrender: {cleanupDelay: 1s500ms}",
         "1: error [invalid-setting] invalid \"tailrender.cleanupDelay\" | \"1s500ms\" | a "
         "duration of whole seconds such as \"10m\"\n"},
        {"operatorConfig: {extraEnv: [{name: CLEANUP_DELAY_SECONDS, value: '2'}]}",
         "1: error [duplicate-env] \"CLEANUP_DELAY_SECONDS\" in \"operatorConfig.extraEnv\" is set "
         "by tailrender | set \"tailrender.cleanupDelay\" instead\n"},
        {"tailrender: {takeOverTag: 'tag:one'}", ""},
        {"tailrender: {takeOverTag: one}",
         "1: error [invalid-setting] invalid \"tailrender.takeOverTag\" | \"one\" | a tag such as "
         "\"tag:cluster-one\" that only this cluster's proxies have, not one of "
         "\"proxyConfig.defaultTags\" or \"operatorConfig.defaultTags\"\n"},
        {"tailrender: {takeOverTag: 'tag:k8s'}",
         "1: error [invalid-setting] invalid \"tailrender.takeOverTag\" | \"tag:k8s\" | a tag such "
         "as \"tag:cluster-one\" that only this cluster's proxies have, not one of "
         "\"proxyConfig.defaultTags\" or \"operatorConfig.defaultTags\"\n"},
        {"tailrender: {takeOverTag: 'tag:k8s-operator'}",
         "1: error [invalid-setting] invalid \"tailrender.takeOverTag\" | "
         "\"tag:k8s-operator\" | a tag such as \"tag:cluster-one\" that only this cluster's "
         "proxies have, not one of \"proxyConfig.defaultTags\" or "
         "\"operatorConfig.defaultTags\"\n"},
        {"operatorConfig: {defaultTags: 'tag:a,tag:ops'}\ntailrender: {takeOverTag: 'tag:ops'}",
         "2: error [invalid-setting] invalid \"tailrender.takeOverTag\" | \"tag:ops\" | a tag such "
         "as \"tag:cluster-one\" that only this cluster's proxies have, not one of "
         "\"proxyConfig.defaultTags\" or \"operatorConfig.defaultTags\"\n"},
        {"operatorConfig: {extraEnv: [{name: TAKE_OVER_TAG, value: 'tag:one'}]}",
         "1: error [duplicate-env] \"TAKE_OVER_TAG\" in \"operatorConfig.extraEnv\" is set by "
         "tailrender | set \"tailrender.takeOverTag\" instead\n"},
        {"operatorConfig: {extraEnv: [{name: API_PROXY_NAMESPACE, value: api}]}",
         "1: error [duplicate-env] \"API_PROXY_NAMESPACE\" in \"operatorConfig.extraEnv\" is set "
         "by tailrender | set \"tailrender.apiProxyNamespace\" instead\n"},
        {"tailrender: {apiProxyNamespace: API}",
         "1: error [invalid-setting] invalid \"tailrender.apiProxyNamespace\" | \"API\" | "
         "lower-case letters, digits and dashes, at most 63, no dash at either end\n"},
        {"tailrender: {cleanupDelay: soon}",
         "1: error [invalid-setting] invalid \"tailrender.cleanupDelay\" | \"soon\" | a "
         "duration of whole seconds such as \"10m\"\n"},
        {"tailrender: {cleanupDelay: 300s}", ""},
        {"tailrender: {clusterDomain: cluster_local}",
         "1: error [invalid-setting] invalid \"tailrender.clusterDomain\" | "
         "\"cluster_local\" "
         "| a DNS name such as \"cluster.local\"\n"},
        {"tailrender: {hostnameSuffix: -b}",
         "1: error [invalid-setting] invalid \"tailrender.hostnameSuffix\" | \"-b\" | "
         "lower-case letters, digits and dashes, at most 63, no dash at either end\n"},
        {"tailrender: {namespace: Team_A}",
         "1: error [invalid-setting] invalid \"tailrender.namespace\" | \"Team_A\" | "
         "lower-case letters, digits and dashes, at most 63, no dash at either end\n"},
        {"tailrender: {tailnetDomain: tail1a2b3}",
         "1: error [invalid-setting] invalid \"tailrender.tailnetDomain\" | \"tail1a2b3\" | "
         "a DNS name such as \"tail1a2b3.ts.net\"\n"},
        {"loginServer: hs.example.com",
         "1: error [invalid-setting] invalid \"loginServer\" | \"hs.example.com\" | a URL "
         "such as \"https://login.example.com\", without user and query\n"},
        {"loginServer: 'http://'",
         "1: error [invalid-setting] invalid \"loginServer\" | \"http://\" | a URL such as "
         "\"https://login.example.com\", without user and query\n"},
        {"loginServer: http://hs.lan:8080", ""},
        {"loginServer: 'https://hs.${DOMAIN}'",
         "1: error [invalid-setting] invalid \"loginServer\" | \"https://hs.${DOMAIN}\" | a URL "
         "such as \"https://login.example.com\", without user and query\n"},
        {"loginServer: 'htp://ann:kExample@hs.lan'",
         "1: error [invalid-setting] invalid \"loginServer\" | a text with a password | a "
         "URL "
         "such as \"https://login.example.com\", without user and query\n"},
        {"ingressClass: {name: Foo_}",
         "1: error [invalid-setting] invalid \"ingressClass.name\" | \"Foo_\" | the name of "
         "an IngressClass: lower-case letters, digits, dashes and dots\n"},
        {"tailrender: {image: {repository: A B}}",
         "1: error [invalid-setting] invalid \"tailrender.image.repository\" | \"A B\" | a "
         "repository of images, without tag and digest\n"},
        {"tailrender: {image: {repository: 'a/b:v1'}}",
         "1: error [invalid-setting] invalid \"tailrender.image.repository\" | \"a/b:v1\" | "
         "a repository of images, without tag and digest\n"},
        {"tailrender: {image: {tag: 'v1,2'}}",
         "1: error [invalid-setting] invalid \"tailrender.image.tag\" | \"v1,2\" | the tag "
         "of an image such as \"v1.96.5\"\n"},
        {"tailrender: {image: {digest: foo}}",
         "1: error [invalid-setting] invalid \"tailrender.image.digest\" | \"foo\" | the "
         "digest of an image: \"sha256:\" and 64 digits of 0-9a-f\n"},
        {"proxyConfig: {image: {repo: 'a@b'}}",
         "1: error [invalid-setting] invalid \"proxyConfig.image.repo\" | \"a@b\" | a "
         "repository of images, without tag and digest\n"},
        {"proxyConfig: {image: {repository: 'reg.lan:5000/a/b', tag: "
         "'v1@sha256:abababababababababababababababababababababababababababababababab'}}",
         ""},
        {"tailrender: {dataplane: foo}",
         "1: error [unknown-choice] invalid value of \"tailrender.dataplane\" | \"foo\" | one "
         "of { containerboot, native }\n"},
        {"proxyConfig: {firewalMode: auto}",
         "1: warning [unknown-chart-value] unknown key \"firewalMode\" in \"proxyConfig\" | did "
         "you "
         "mean \"firewallMode\"?\n"},
        {"proxyConfig: {firewallMode: ''}", ""},
        {"proxyConfig: {image: tailscale}",
         "1: error [wrong-type] \"proxyConfig.image\" has the wrong type | a string | a map | "
         "write its keys "
         "below it, as \"key: value\"\n"},
        {"proxyConfig: {image: {tag: 1.96}}",
         "1: error [wrong-type] \"proxyConfig.image.tag\" has the wrong type | a number | a string "
         "| write tag: \"1.96\"; on the command line: --set 'proxyConfig.image.tag=\\1.96'\n"},
        {"proxyConfig: {defaultTags: 'tag:k8s,prod'}",
         "1: error [invalid-tag] \"proxyConfig.defaultTags\": tags must start with 'tag:' | "
         "\"prod\" | tags such as \"tag:k8s\", separated by commas\n"},
        {"operatorConfig: {nodeSelector: {disk: 1}}",
         "1: error [wrong-type] \"operatorConfig.nodeSelector.disk\" has the wrong type | a number "
         "| a string | write disk: \"1\"; on the command line: --set "
         "'operatorConfig.nodeSelector.disk=\\1'\n"},
        {"operatorConfig: {nodeSelector: {disk: not so fast}}",
         "1: error [invalid-setting] invalid \"operatorConfig.nodeSelector.disk\" | \"not so "
         "fast\" | at most 63 letters, digits, \"-\", \"_\" and \".\", beginning and ending with "
         "a letter or digit\n"},
        {"operatorConfig: {podLabels: {a b: c}}",
         "1: error [invalid-setting] invalid \"operatorConfig.podLabels\" | \"a b\" | "
         "letters, digits, \"-\", \"_\" and \".\", at most 63, and a DNS name with \"/\" before it "
         "or not\n"},
        {"operatorConfig: {podAnnotations: {Example.com/a: any text}}", ""},
        {"operatorConfig: {serviceAccountAnnotations: {a b: c}}",
         "1: error [invalid-setting] invalid \"operatorConfig.serviceAccountAnnotations\" | "
         "\"a b\" | letters, digits, \"-\", \"_\" and \".\", at most 63, and a DNS name with \"/\" "
         "before it or not\n"},
        {"operatorConfig: {logging: verbose}",
         "1: warning [unknown-choice] invalid value of \"operatorConfig.logging\" | "
         "\"verbose\" | one of { info, debug, dev }\n"},
        {"operatorConfig: {podLabels: {app: x}}",
         "1: warning [reserved-label] \"operatorConfig.podLabels.app\" is the label that selects "
         "the controller's pods | remove it\n"},
        {"operatorConfig: {extraEnv: [{value: x}]}",
         "1: error [wrong-type] an entry of \"operatorConfig.extraEnv\" has no name | a map | a "
         "map "
         "with \"name\" and \"value\"\n"},
        {"operatorConfig: {extraEnv: [{name: DEBUG, value: true}]}",
         "1: error [wrong-type] \"DEBUG\" in \"operatorConfig.extraEnv\" has the wrong type | a "
         "boolean | a string | put it in quotes\n"},
        {"operatorConfig: {extraEnv: [{name: PROXY_TAGS, value: 'tag:x'}]}",
         "1: error [duplicate-env] \"PROXY_TAGS\" in \"operatorConfig.extraEnv\" is already set by "
         "the chart | set \"proxyConfig.defaultTags\" instead\n"},
        {"operatorConfig: {extraEnv: [{name: POD_UID, value: x}]}",
         "1: error [duplicate-env] \"POD_UID\" in \"operatorConfig.extraEnv\" is already set by "
         "the chart | remove it\n"},
        {"operatorConfig: {extraEnv: [{name: TS_EXPERIMENTAL_KUBE_API_EVENTS, value: 'true'}]}",
         "1: error [removed-setting] \"TS_EXPERIMENTAL_KUBE_API_EVENTS\" in "
         "\"operatorConfig.extraEnv\" has been removed | use ACLs instead\n"},
        {"operatorConfig: {extraEnv: [{name: TS_EXPERIMENTAL_KUBE_API_EVENTS, value: 'false'}]}",
         ""},
        {"operatorConfig: {extraEnv: [{name: AUTH_PROXY, value: 'true'}]}",
         "1: warning [removed-setting] \"AUTH_PROXY\" in \"operatorConfig.extraEnv\" has no effect "
         "| remove it\n"},
        {"operatorConfig: {extraEnv: [{name: PROXY_PRIORITY_CLASS_NAME, valueFrom: {}}]}",
         "1: error [unknown-offline] the value of \"PROXY_PRIORITY_CLASS_NAME\" is only known in "
         "the cluster | write it as a plain \"value\"\n"},
        {"oauth: {audience: a}",
         "1: warning [no-client-id] \"oauth.audience\" without \"oauth.clientId\": the controller "
         "cannot log in | set \"oauth.clientId\" to the id of the federated identity\n"},
        {"oauth: {audience: a, clientId: b, clientSecret: c}",
         "1: warning [unused-client-secret] \"oauth.clientSecret\" is not used with "
         "\"oauth.audience\" | remove one of the two\n"},
        {"apiServerProxyConfig: {mode: true}", ""},
        {"apiServerProxyConfig: {mode: 'false'}", ""},
        {"global: {anything: 1}", ""},
    };
    for (const Complaint& row : rows) {
        EXPECT_EQ(Decoded({row.yaml}).dump(), row.want) << row.yaml;
    }
}

// I6: a message about a line that may hold a credential does not show that line.
TEST(DecodeSettings, TextNearCredentialsIsHidden) {
    for (const std::string_view yaml :
         {"oauth: {clientSecret: 123}", "oauth: {clientSecrt: tskey}", "oauth: tskey",
          "loginServer: 'htp://ann:kExample@hs.lan'"}) {
        const Decoded decoded({yaml});
        ASSERT_EQ(decoded.diagnostics.all().size(), 1U) << yaml;
        EXPECT_TRUE(decoded.diagnostics.all().front().hide_text) << yaml;
    }
}

TEST(Image, OnlyADigestOrAFullVersionIsPinned) {
    const auto pinned = [](std::string_view tag, std::string_view digest = "") {
        Image image;
        image.tag = tag;
        image.digest = digest;
        return image.pinned();
    };
    EXPECT_TRUE(pinned("v1.96.5"));
    EXPECT_TRUE(pinned("1.96.5"));
    EXPECT_TRUE(pinned("latest", "sha256:ab"));
    EXPECT_TRUE(pinned("latest@sha256:ab"));
    for (const std::string_view tag : {"", "v", "latest", "stable", "v1.96", "1.96.5.1", "v1.96.",
                                       "v1..5", "v1.96.5-rc1", "vv1.2.3"}) {
        EXPECT_FALSE(pinned(tag)) << tag;
    }
}

}  // namespace
}  // namespace renderer::plan
