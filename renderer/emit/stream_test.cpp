#include <gtest/gtest.h>

#include "renderer/emit/test_input.h"

namespace renderer::emit {
namespace {

std::string stream(const TestInput& input) {
    std::string out;
    emit_stream(input.output(), 0, [&](std::string_view piece) { out += piece; });
    return out;
}

TEST(EmitStream, OrdersLikeHelmThenByNamespaceAndName) {
    TestInput input;
    const auto bundle = input.add_bundle("");
    input.add_file(bundle, "a.yaml",
                   manifest("Deployment", "b", "x") + "---\n" + manifest("Widget", "", "w") +
                       "---\n" + manifest("Service", "b", "x") + "---\n" +
                       manifest("Service", "a", "z"));
    input.add_object("Service", "b", "w");
    input.add_object("Namespace", "", "b");
    EXPECT_EQ(stream(input),
              manifest("Namespace", "", "b") + "---\n" + manifest("Service", "a", "z") + "---\n" +
                  manifest("Service", "b", "w") + "---\n" + manifest("Service", "b", "x") +
                  "---\n" + manifest("Deployment", "b", "x") + "---\n" +
                  manifest("Widget", "", "w"));
}

TEST(EmitStream, KeepsTheBytesOfForeignDocuments) {
    TestInput input;
    const std::string odd =
        "# a comment\napiVersion: v1\r\nkind:   ConfigMap # why\r\nmetadata: \r\n    name: x\r\n"
        "data:\r\n  a: &a v\r\n  b: *a\r\n";
    input.add_file(input.add_bundle(""), "a.yaml", odd);
    EXPECT_EQ(stream(input), odd);
}

TEST(EmitStream, EndsEveryDocumentWithANewline) {
    TestInput input;
    const auto bundle = input.add_bundle("");
    std::string text = manifest("ConfigMap", "shop", "a");
    text.pop_back();
    input.add_file(bundle, "a.yaml", text);
    input.add_file(bundle, "b.yaml", manifest("ConfigMap", "shop", "b"));
    EXPECT_EQ(stream(input),
              manifest("ConfigMap", "shop", "a") + "---\n" + manifest("ConfigMap", "shop", "b"));
}

TEST(EmitStream, DropsDocumentsWithoutContent) {
    TestInput input;
    input.add_file(
        input.add_bundle(""), "a.yaml",
        "---\n# only a comment\n---\n" + manifest("ConfigMap", "shop", "a") + "---\n---\n");
    EXPECT_EQ(stream(input), manifest("ConfigMap", "shop", "a"));
}

TEST(EmitStream, AppliesEditsAndRemovesCutDocuments) {
    TestInput input;
    const SourceId source = input.add_file(
        input.add_bundle(""), "a.yaml",
        manifest("ConfigMap", "shop", "a") + "---\n" + manifest("ConfigMap", "shop", "b"));
    const std::size_t name = input.loaded.sources.text(source).find("name: b") + 6;
    input.plan.edits.push_back({source, name, name + 1, "c", "rename"});
    input.cut(0);
    EXPECT_EQ(stream(input), manifest("ConfigMap", "shop", "c"));
}

TEST(EmitStream, LeavesFactsOut) {
    TestInput input;
    input.add_file(input.add_bundle(""), "a.yaml", manifest("ConfigMap", "shop", "a"));
    input.loaded.documents.front().reachable = false;
    EXPECT_EQ(stream(input), "");
}

TEST(EmitStream, TakesReplacementsAndGeneratedInputs) {
    TestInput input;
    input.add_bundle("");
    input.add_object("ConfigMap", "shop", "a");
    input.loaded.generated_inputs.push_back(std::move(input.objects.back()));
    input.objects.clear();
    input.add_object("Deployment", "shop", "b");
    input.plan.replacements.push_back(std::move(input.objects.back()));
    input.objects.clear();
    EXPECT_EQ(stream(input),
              manifest("ConfigMap", "shop", "a") + "---\n" + manifest("Deployment", "shop", "b"));
}

}  // namespace
}  // namespace renderer::emit
