#include "renderer/engines/flux/resource_set.h"

#include <gtest/gtest.h>

#include "renderer/core/source_map.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"

namespace renderer::engines {
namespace {

Value object_of(const std::string& kind, const std::string& metadata, const std::string& spec) {
    SourceMap sources;
    const SourceId source =
        sources.add("set.yaml", "apiVersion: fluxcd.controlplane.io/v1\nkind: " + kind +
                                    "\nmetadata: {" + metadata + "}\nspec:\n" + spec);
    Diagnostics mistakes;
    Value object = read_yaml(sources, source, mistakes);
    EXPECT_FALSE(mistakes.has_errors());
    return object;
}

std::string made(const std::string& spec, const std::vector<const Value*>& providers = {}) {
    const Value set = object_of("ResourceSet", "name: apps, namespace: flux-system", spec);
    EXPECT_TRUE(is_resource_set(set));
    MadeObjects objects = expand_resource_set(set, providers);
    std::string out;
    for (const Value& object : objects.objects) {
        write_yaml(object, out);
    }
    return objects.unresolved.empty() ? out : out + "unresolved: " + objects.unresolved + "\n";
}

TEST(ResourceSet, MakesItsResourcesForEachSetOfInputs) {
    EXPECT_EQ(made("  inputs: [{app: a, port: 80}, {app: b, port: 8080}]\n"
                   "  resources:\n"
                   "  - {kind: Service, metadata: {name: << inputs.app >>}, spec: "
                   "{port: << inputs.port >>, text: '<< inputs.port | quote >>'}}\n"),
              "kind: Service\nmetadata:\n  name: a\nspec:\n  port: 80\n  text: \"80\"\n"
              "kind: Service\nmetadata:\n  name: b\nspec:\n  port: 8080\n  text: \"8080\"\n");
}

TEST(ResourceSet, ReadsWhatItMakesAsYaml) {
    struct Row {
        const char *name, *input, *text, *want;
    };
    for (const Row& row : {
             Row{"a number stays one", "80", "<< inputs.x >>", "80"},
             Row{"a text that spells one becomes one", "'80'", "<< inputs.x >>", "80"},
             Row{"part of a text", "a", "x-<< inputs.x >>-y", "x-a-y"},
             Row{"in quotes, as the operator writes it", "80", "to: << inputs.x >>", "\"to: 80\""},
             Row{"nested keys", "{a: {b: c}}", "<< inputs.x.a.b >>", "c"},
             Row{"a default", "{}", "<< get inputs.x \"y\" | default \"z\" >>", "z"},
             Row{"a condition", "true", "<< if inputs.x >>up<< else >>down<< end >>", "up"},
             Row{"of the set itself", "1", "<< inputs.provider.name >>", "apps"},
             Row{"a whole number", "'007'", "<< len inputs.x >>", "3"},
         }) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(made(std::string("  inputs: [{x: ") + row.input +
                       "}]\n  resources: [{kind: A, value: '" + row.text + "'}]\n"),
                  std::string("kind: A\nvalue: ") + row.want + "\n");
    }
}

TEST(ResourceSet, SaysWhatItCannotKnow) {
    struct Row {
        const char *name, *spec, *want;
    };
    for (const Row& row : {
             Row{"a key that is not there",
                 "  inputs: [{a: b}]\n  resources: [{kind: << inputs.c >>}]\n",
                 "unresolved: << inputs.c >>: there is no \"c\" in \"inputs.c\"\n"},
             Row{"a function",
                 "  inputs: [{a: b}]\n  resources: [{kind: '<< inputs.a | sha1sum >>'}]\n",
                 "unresolved: << inputs.a | sha1sum >>: sha1sum: no such function here\n"},
             Row{"providers", "  inputsFrom: [{name: pulls}]\n  resources: [{kind: A}]\n",
                 "unresolved: inputs of ResourceSetInputProvider pulls\n"},
             Row{"providers beside inputs",
                 "  inputs: [{a: b}]\n  inputsFrom: [{selector: {}}]\n"
                 "  resources: [{kind: << inputs.a >>}]\n",
                 "kind: b\nunresolved: inputs of ResourceSetInputProviders that a selector "
                 "chooses\n"},
             Row{"permutations",
                 "  inputStrategy: {name: Permute}\n  inputs: [{a: b}]\n  resources: [{kind: A}]\n",
                 "unresolved: inputStrategy Permute\n"},
             Row{"numbers that Go prints in its own way",
                 "  inputs: [{a: 1000000}]\n  resources: [{kind: A}]\n",
                 "unresolved: the number 1000000 of the inputs\n"},
         }) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(made(row.spec), row.want);
    }
}

TEST(ResourceSet, TakesTheInputsOfStaticProviders) {
    const auto provider = [](const std::string& metadata, const std::string& spec) {
        return object_of("ResourceSetInputProvider", metadata, spec);
    };
    const std::vector<Value> all = [&] {
        std::vector<Value> list;
        list.push_back(provider("name: b, namespace: flux-system, labels: {team: x}",
                                "  type: Static\n  defaultValues: {a: of-b}\n"));
        list.push_back(provider("name: a, namespace: flux-system, labels: {team: x}",
                                "  type: Static\n  defaultValues: {a: of-a}\n"));
        list.push_back(provider("name: b, namespace: other, labels: {team: x}",
                                "  type: Static\n  defaultValues: {a: of-other}\n"));
        list.push_back(provider("name: pulls, namespace: flux-system, labels: {team: y}",
                                "  type: GitHubPullRequest\n  defaultValues: {a: of-pulls}\n"));
        return list;
    }();
    std::vector<const Value*> providers;
    for (const Value& one : all) {
        EXPECT_TRUE(is_input_provider(one));
        providers.push_back(&one);
    }
    const std::string resources = "  resources: [{kind: << inputs.a >>}]\n";
    struct Row {
        const char *from, *want;
    };
    for (const Row& row : {
             Row{"{name: b}", "kind: of-b\n"},
             Row{"{selector: {matchLabels: {team: x}}}", "kind: of-a\nkind: of-b\n"},
             Row{"{name: b}, {selector: {matchLabels: {team: x}}}", "kind: of-a\nkind: of-b\n"},
             Row{"{name: b}, {name: pulls}",
                 "kind: of-b\nunresolved: inputs of ResourceSetInputProvider pulls\n"},
             Row{"{name: b}, {name: missing}",
                 "kind: of-b\nunresolved: inputs of ResourceSetInputProvider missing\n"},
             Row{"{selector: {matchLabels: {team: z}}}",
                 "unresolved: inputs of ResourceSetInputProviders that a selector chooses\n"},
         }) {
        SCOPED_TRACE(row.from);
        EXPECT_EQ(made(std::string("  inputsFrom: [") + row.from + "]\n" + resources, providers),
                  row.want);
    }
    EXPECT_EQ(made("  inputsFrom: [{name: b}]\n  resources: [{kind: << inputs.provider.name >>}]\n",
                   providers),
              "kind: b\n");
    EXPECT_EQ(
        made("  inputsFrom: [{name: b}]\n  resources: [{kind: << inputs.id >>}]\n", providers),
        "unresolved: << inputs.id >>: there is no \"id\" in \"inputs.id\"\n");
}

TEST(ResourceSet, TakesOneObjectOfEachNameAndNoneThatIsDisabled) {
    EXPECT_EQ(made("  inputs: [{a: x}, {a: y}]\n"
                   "  resources:\n"
                   "  - {apiVersion: v1, kind: A, metadata: {name: one}, value: << inputs.a >>}\n"
                   "  - {apiVersion: v1, kind: B, metadata: {name: << inputs.a >>, annotations: "
                   "{fluxcd.controlplane.io/reconcile: disabled}}}\n"),
              "apiVersion: v1\nkind: A\nmetadata:\n  name: one\nvalue: x\n");
}

TEST(ResourceSet, OfATextAndOfStepsIsTheSame) {
    const std::string want = "kind: A\nvalue: x\nkind: B\nvalue: x\n";
    EXPECT_EQ(
        made("  inputs: [{a: x}]\n  resourcesTemplate: |\n    kind: A\n    value: << inputs.a "
             ">>\n    ---\n    kind: B\n    value: << inputs.a >>\n"),
        want);
    EXPECT_EQ(
        made("  inputs: [{a: x}]\n  steps:\n  - resources: [{kind: A, value: << inputs.a >>}]\n"
             "  - resources: [{kind: B, value: << inputs.a >>}]\n"),
        want);
}

TEST(ResourceSet, GivesAllObjectsItsCommonMetadata) {
    EXPECT_EQ(
        made("  commonMetadata: {annotations: {tailscale.com/expose: \"true\"}}\n"
             "  resources: [{kind: A, metadata: {name: a}}]\n"),
        "kind: A\nmetadata:\n  name: a\n  annotations:\n    tailscale.com/expose: \"true\"\n");
}

}  // namespace
}  // namespace renderer::engines
