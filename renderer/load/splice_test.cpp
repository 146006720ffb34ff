#include "renderer/load/splice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace renderer::load {
namespace {

// The document with its `metadata.namespace` set; "-" where the edit is refused.
std::string with_namespace(const std::string& text, std::string_view ns) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("x.yaml", text);
    const Value root = read_yaml(sources, source, diagnostics);
    const std::optional<Edit> edit = set_member({sources, source, {0, text.size()}, root},
                                                *root.find("metadata"), "namespace", ns);
    if (!edit) {
        return "-";
    }
    std::string out = text;
    return out.replace(edit->begin, edit->end - edit->begin, edit->replacement);
}

const std::string kBlock = "kind: A\nmetadata:\n  name: x\n";

TEST(Splice, KeepsTheStyleOfTheDocument) {
    EXPECT_EQ(with_namespace(kBlock, "shop"), "kind: A\nmetadata:\n  namespace: shop\n  name: x\n");
    EXPECT_EQ(with_namespace("metadata: {name: x}\n", "shop"),
              "metadata: {namespace: shop, name: x}\n");
    EXPECT_EQ(with_namespace("{\"metadata\": {\"name\": \"x\"}}", "shop"),
              "{\"metadata\": {\"namespace\": \"shop\", \"name\": \"x\"}}");
    EXPECT_EQ(with_namespace("metadata: {namespace: 'a'}\n", "shop"),
              "metadata: {namespace: 'shop'}\n");
    EXPECT_EQ(with_namespace(kBlock, "on"), "kind: A\nmetadata:\n  namespace: \"on\"\n  name: x\n");
}

// Any text that is written is read back as the same text, and nothing else in the document changes.
TEST(Splice, WritesTextAndNothingElse) {
    for (const std::string& document : {kBlock, std::string("metadata: {name: x}\n"),
                                        std::string("{\"metadata\": {\"name\": 1}}"),
                                        std::string("metadata: {namespace: 'a', name: x}\n"),
                                        std::string("metadata:\n  namespace: \"a\"\n"),
                                        std::string("metadata:\n  namespace: a\n")}) {
        for (const std::string_view text :
             {"a\"\n---\nkind: B", "a\nb: c", "x, y: z}", "]", "it's", "a # b", "a: b", "- a", "&a",
              "*a", "\x1b[2J", "\\", "'", "", "null", "a\tb", "\xe2\x80\xae", "{{x}}",
              "\xc2\x85"}) {
            const std::string out = with_namespace(document, text);
            SourceMap sources;
            Diagnostics diagnostics;
            const SourceId source = sources.add("x.yaml", out);
            const Value root = read_yaml(sources, source, diagnostics);
            ASSERT_FALSE(diagnostics.has_errors()) << out;
            const Value* ns = root.at({"metadata", "namespace"});
            ASSERT_TRUE(ns != nullptr && ns->is_string()) << out;
            EXPECT_EQ(ns->text(), text) << out;
        }
    }
}

}  // namespace
}  // namespace renderer::load
