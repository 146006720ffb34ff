#include "renderer/engines/helm/exposing_values.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "renderer/core/diagnostics.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::engines {
namespace {

std::string found(std::string text) {
    SourceMap sources;
    const SourceId source = sources.add("a.yaml", std::move(text));
    Diagnostics diagnostics;
    std::string out;
    for (const ExposingValue& one : find_exposing_values(read_yaml(sources, source, diagnostics))) {
        out += sources.describe(one.pos) + " " + one.what + "\n";
    }
    return out + diagnostics.print(sources, false);
}

TEST(ExposingValues, AreClassesAndAnnotations) {
    EXPECT_EQ(found("a: {className: tailscale}\nclass: nginx\n"),
              "a.yaml:1:5 a.className: tailscale\n");
    EXPECT_EQ(found("tailscale.com/expose: true\n"), "a.yaml:1:1 tailscale.com/expose: true\n");
    EXPECT_EQ(found("tailscale.com/expose: \"false\"\ntailscale.com/tailnet-ip: \"\"\n"), "");
    EXPECT_EQ(found("storageClass: tailscale\nname: tailscale\n"), "");
}

TEST(ExposingValues, AreNotWhatIsSwitchedOff) {
    EXPECT_EQ(found("a:\n  enabled: false\n  b: {class: tailscale}\n"), "");
    EXPECT_EQ(found("a:\n  enabled: true\n  b: {class: tailscale}\n"),
              "a.yaml:3:7 a.b.class: tailscale\n");
}

TEST(ExposingValues, AreFoundInTextsAndInParameters) {
    EXPECT_EQ(found("v: |\n  a:\n    - class: tailscale\n"),
              "a.yaml:1:4 v.a[0].class: tailscale\n");
    EXPECT_EQ(found("v: '{a: {class: tailscale}}'\n"), "a.yaml:1:4 v.a.class: tailscale\n");
    EXPECT_EQ(found("v: 'class: tailscale'\n"), "a.yaml:1:4 v.class: tailscale\n");
    EXPECT_EQ(found("v: 'tells of class: tailscale'\n"), "");
    EXPECT_EQ(found("v: 'note: set a: b'\nw: 'note: of class: tailscale'\n"), "");
    EXPECT_EQ(found("v: |\n  {{ class: tailscale\n"), "");
    EXPECT_EQ(found("v: 'Object{spec: Object.spec{loadBalancerClass: \"tailscale\"}}'\n"),
              "a.yaml:1:4 v: loadBalancerClass: tailscale\n");
    EXPECT_EQ(found("- {name: 'web.annotations.tailscale\\.com/expose', value: \"true\"}\n"),
              "a.yaml:1:10 [0].web.annotations.tailscale\\.com/expose: true\n");
}

TEST(ExposingValues, AreFoundBesideTheNameOfTheirField) {
    EXPECT_EQ(
        found("- {op: add, path: /spec/loadBalancerClass, value: tailscale}\n"
              "- {op: add, path: /metadata/annotations/tailscale.com~1expose, value: 'true'}\n"
              "- {op: add, path: /spec/type, value: tailscale}\n"),
        "a.yaml:1:19 [0]./spec/loadBalancerClass: tailscale\n"
        "a.yaml:2:19 [1]./metadata/annotations/tailscale.com~1expose: true\n");
    EXPECT_EQ(found("location: metadata.annotations.\"tailscale.com/funnel\"\n"
                    "parameters: {assign: {value: \"true\"}}\n"),
              "a.yaml:1:11 metadata.annotations.\"tailscale.com/funnel\": true\n");
}

TEST(ExposingValues, AreFoundInTemplatesLineByLine) {
    SourceMap sources;
    const SourceId source = sources.add(
        "t.yaml", "{{- if .x }}\n  # className: tailscale\n  - class: \"tailscale\"  # here\n");
    const std::vector<ExposingValue> lines = find_exposing_lines(sources, source);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(sources.describe(lines[0].pos), "t.yaml:3:5");
    EXPECT_EQ(lines[0].what, "class: tailscale");
    const SourceId flow = sources.add(
        "f.yaml", "metadata: {name: a, annotations: {tailscale.com/funnel: \"true\"}}\n");
    const std::vector<ExposingValue> parts = find_exposing_lines(sources, flow);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(sources.describe(parts[0].pos), "f.yaml:1:35");
    EXPECT_TRUE(parts[0].is_public());
}

TEST(ExposingValues, MayBeExpressionsOfTemplates) {
    SourceMap sources;
    const auto found_in = [&](std::string text) {
        std::string what;
        for (const ExposingValue& one :
             find_exposing_lines(sources, sources.add("t.yaml", std::move(text)))) {
            what += one.what + "\n";
        }
        return what;
    };
    EXPECT_EQ(found_in("annotations: {a: b, tailscale.com/expose: \"{{ .Values.e }}\"}\n"),
              "tailscale.com/expose: {{ .Values.e }}\n");
    EXPECT_EQ(found_in("  tailscale.com/funnel: {{ .Values.e | quote }}\n"),
              "tailscale.com/funnel: {{ .Values.e | quote }}\n");
    EXPECT_EQ(found_in("spec: {loadBalancerClass: {{ .Values.class }}, ports: []}\n"),
              "loadBalancerClass: {{ .Values.class }}\n");
    EXPECT_EQ(found_in("  tailscale.com/tags: {{ .Values.tags }}\n"), "");
}

TEST(ExposingValues, AreKindsThatBecomeDevices) {
    SourceMap sources;
    const auto found_in = [&](std::string text) {
        return find_exposing_lines(sources, sources.add("t.yaml", std::move(text))).size();
    };
    EXPECT_EQ(found_in("apiVersion: tailscale.com/v1alpha1\nkind: Connector\n"), 1U);
    EXPECT_EQ(found_in("apiVersion: tailscale.com/v1alpha1\nkind: ProxyClass\n"), 0U);
    EXPECT_EQ(found_in("apiVersion: example.com/v1\nkind: Connector\n"), 0U);
}

}  // namespace
}  // namespace renderer::engines
