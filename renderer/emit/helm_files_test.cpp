#include "renderer/emit/helm_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/yaml_reader.h"
#include "renderer/emit/test_input.h"

namespace renderer::emit {
namespace {

// A stream of Helm 4, in which each Service has its file.
std::string annotated(std::string_view name, std::string_view file) {
    return manifest("Service", "shop", name) +
           fmt::format("  annotations:\n    postrenderer.helm.sh/postrender-filename: '{}'\n",
                       file);
}

TestInput read(const std::string& stream) {
    TestInput input;
    input.add_file(input.add_bundle(""), "stdin", stream);
    Diagnostics diagnostics;
    for (Document& document : input.loaded.documents) {
        document.root =
            read_yaml(input.loaded.sources, document.source, document.range, diagnostics);
    }
    return input;
}

std::string file_of(const Object& object) {
    const Value* file =
        object.root.at({"metadata", "annotations", "postrenderer.helm.sh/postrender-filename"});
    return file == nullptr ? "" : std::string(file->text());
}

TEST(HelmFiles, AreThoseOfTheDocumentsThatObjectsAreMadeFor) {
    TestInput input = read(annotated("a", "web/templates/a.yaml") + "---\n" +
                           annotated("b", "web/charts/sub/templates/b.yaml"));
    for (const Document& document : input.loaded.documents) {
        input.add_object("Secret", "tailscale", "s").origin.pos = document.kind.pos();
    }
    name_helm_files(input.loaded, input.objects);
    EXPECT_EQ(file_of(input.objects[0]), "web/templates/a.yaml");
    EXPECT_EQ(file_of(input.objects[1]), "web/charts/sub/templates/b.yaml");
}

TEST(HelmFiles, KeepOtherAnnotations) {
    TestInput input = read(annotated("a", "web/templates/a.yaml"));
    Object& object = input.add_object("Secret", "tailscale", "s");
    object.origin.pos = input.loaded.documents[0].kind.pos();
    object.root.find("metadata")->add("annotations", Value::map({{"kept", "yes"}}));
    name_helm_files(input.loaded, input.objects);
    EXPECT_EQ(object.root.at({"metadata", "annotations", "kept"})->text(), "yes");
    EXPECT_EQ(file_of(object), "web/templates/a.yaml");
}

// The parent is in --context; the file keeps its name when documents are added or removed.
TEST(HelmFiles, OfParentsElsewhereAreOfTheSameChart) {
    TestInput input = read(annotated("a", "web/templates/a.yaml"));
    const SourceId other = input.loaded.sources.add("context.yaml", manifest("Service", "", "x"));
    input.add_object("Secret", "tailscale", "s").origin.pos = input.loaded.sources.pos(other, 4);
    input.add_object("Secret", "tailscale", "t");
    name_helm_files(input.loaded, input.objects);
    EXPECT_EQ(file_of(input.objects[0]), "web/templates/zz-tailrender.yaml");
    EXPECT_EQ(file_of(input.objects[1]), "web/templates/zz-tailrender.yaml");
}

TEST(HelmFiles, AreNotNamedOnOtherStreams) {
    TestInput input = read(manifest("Service", "shop", "a"));
    input.add_object("Secret", "tailscale", "s").origin.pos = input.loaded.documents[0].kind.pos();
    name_helm_files(input.loaded, input.objects);
    EXPECT_EQ(file_of(input.objects[0]), "");
}

}  // namespace
}  // namespace renderer::emit
