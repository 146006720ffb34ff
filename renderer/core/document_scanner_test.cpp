#include "renderer/core/document_scanner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace renderer::inline core {
namespace {

std::string shown(const Value& value) {
    return value.is_null() ? "-" : std::string(value.text());
}

// Returns one line per document: its text with line ends as |, its class, and its fields.
std::string scan(const std::string& text) {
    SourceMap sources;
    const SourceId source = sources.add("in.yaml", text);
    std::string out;
    for (const ScannedDocument& d : scan_documents(sources, source)) {
        if (d.blank) {
            out += "blank\n";
        } else if (!d.plain) {
            out += fmt::format("full at {}\n", d.range.begin);
        } else {
            out += fmt::format("{} {} {} {}\n", shown(d.api_version), shown(d.kind), shown(d.ns),
                               shown(d.name));
        }
    }
    return out;
}

TEST(DocumentScanner, FindsBordersAndNames) {
    const struct {
        const char* name;
        std::string text;
        const char* want;
    } rows[] = {
        {"one", "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: shop\n",
         "v1 Service shop web\n"},
        {"two", "kind: A\n--- # c\nkind: B\n", "- A - -\n- B - -\n"},
        {"blank ones", "# c\n---\n---\n\n", "blank\nblank\nblank\n"},
        {"end marker", "kind: A\n...\n---\nkind: B\n...\n", "- A - -\nblank\n- B - -\nblank\n"},
        {"glued", "---kind: A\n---kind: B\n", "blank\n- A - -\n- B - -\n"},
        {"text behind the separator", "--- {a: b}\n", "blank\nfull at 3\n"},
        {"no separator", "-----BEGIN\n", "full at 0\n"},
        {"byte order mark", "\xEF\xBB\xBFkind: A\n", "- A - -\n"},
        {"carriage returns", "kind: A\r\nmetadata:\r\n  name: x\r\n---\r\nkind: B\r\n",
         "- A - x\n- B - -\n"},
        {"block scalar", "data:\n  a: |\n    kind: B\n    ---\nkind: A\n", "- A - -\n"},
        {"comments", "kind: A # b\nmetadata: # c\n# d\n  name: x # y\n", "- A - x\n"},
        {"lists",
         "kind: A\nrules:\n- kind: B\n  metadata:\n    name: x\nmetadata:\n  name: web\n  "
         "owners:\n  "
         "- name: z\n",
         "- A - web\n"},
        {"directive", "%YAML 1.2\n---\nkind: A\n", "blank\n- A - -\n"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(scan(row.text), row.want);
    }
}

TEST(DocumentScanner, LeavesDoubtToTheReader) {
    for (const std::string text : {"{kind: A}\n",
                                   "\"kind\": A\n",
                                   "kind: \"A\"\n",
                                   "kind: A\nkind: B\n",
                                   "kind: A\n  B\n",
                                   "kind: |\n  A\n",
                                   "kind: yes\n",
                                   "kind: &a A\n",
                                   "metadata: {name: x}\n",
                                   "metadata:\n  name: 'x'\n",
                                   "metadata:\n  name: x\n    y\n",
                                   "a: {\nkind: B\n}\n",
                                   "a: \"x\nkind: B\n\"\n",
                                   "a: 'x\nkind: B\n'\n",
                                   "a:\n b:'c d: 'x\nkind: B\n'\n",
                                   "a:\n b 'c d: ' # x\nkind: B\n'\n",
                                   "a: 'it''s\nkind: B\n'\n",
                                   "a: \"\\\"\nkind: B\n\"\n",
                                   "a: [b, 'c'\nkind: B\n]\n",
                                   "- - 'x\nkind: B\n'\n",
                                   "a: !!str 'x\nkind: B\n'\n",
                                   "<<: *a\n",
                                   "\tkind: A\n",
                                   "  kind: A\n",
                                   "- kind: A\n",
                                   "kind: A\xff\n",
                                   "metadata:\n  <<: *a\n  name: x\n",
                                   "kind: A |\n  b\n",
                                   "kind: A - |\n  b\n",
                                   "kind: A\x01\n",
                                   "kind: A\rkind: B\n"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(scan(text), "full at 0\n");
    }
}

TEST(DocumentScanner, TakesQuotesInsideOfPlainTextAsText) {
    for (const std::string line : {"a: it's", "a: 5\" disk", "a: b] c}", "a: 'it''s'  # it's",
                                   "a: [\"x]\", 'y', {z: 'it''s'}]", "a: \"\\\\\"", "'a': b",
                                   "\"a\": [b, c: d]", "a: b # ' [", "a: b-'c [d]"}) {
        SCOPED_TRACE(line);
        EXPECT_EQ(scan("kind: A\nspec:\n  " + line + "\n"), "- A - -\n");
    }
}

TEST(DocumentScanner, FindsWhatIsOddlyIndented) {
    const auto is_odd = [](const std::string& text) {
        SourceMap sources;
        const ScannedDocument document =
            std::move(scan_documents(sources, sources.add("in.yaml", "kind: A\n" + text)).front());
        EXPECT_TRUE(document.plain) << text;
        return document.oddly_indented;
    };
    for (const char* text :
         {"data:\n  x: 1\n y: 2\n", "data:\n  x: 1\n    y: 2\n", "data: 1\n  x: 1\n",
          "rules:\n  - a: 1\n - b: 2\n", "rules:\n  - a: 1\n     b: 2\n",
          "data:\n  x: one\n    two\n", "data: &a\n  x: 1\n"}) {
        EXPECT_TRUE(is_odd(text)) << text;
    }
    std::string deep = "a:\n";
    for (std::size_t depth = 1; depth < 70; ++depth) {
        deep += std::string(depth, ' ') + "a:\n";
    }
    EXPECT_TRUE(is_odd(deep));
    EXPECT_TRUE(is_odd("a:\n" + std::string(70'000, ' ') + "b: 1\n"));
    for (const char* text :
         {"data:\n  x: 1\n  y: 2\n", "data: # c\n    # d\n  x: 1\n\nspec: 1\n",
          "rules:\n- a: 1\n  b:\n  - c\n- d\n", "rules:\n  -\n    a: 1\n  - - b: 1\n      c: 2\n",
          "data:\n  x: |\n      a\n    b\n  y: >-\n    c\n      d\n"}) {
        EXPECT_FALSE(is_odd(text)) << text;
    }
}

TEST(DocumentScanner, SplitsAStreamAtSeparatorsOnly) {
    const std::string text = "kind: A\ntext: |\n  ---\n---\nkind: B\n---\nkind: C\n";
    std::vector<std::string> pieces;
    for (const RawDocument& piece : split_stream(text, 8)) {
        pieces.push_back(text.substr(piece.begin, piece.end - piece.begin));
    }
    EXPECT_EQ(pieces,
              (std::vector<std::string>{"kind: A\ntext: |\n  ---\n", "kind: B\n", "kind: C\n"}));
    EXPECT_EQ(split_stream("---\n", 2).size(), 1U);
}

TEST(DocumentScanner, SaysWhereANamespaceFits) {
    SourceMap sources;
    const SourceId source = sources.add("in.yaml", "kind: A\nmetadata:\n    name: x # tailscale\n");
    const ScannedDocument document = std::move(scan_documents(sources, source).front());
    EXPECT_EQ(document.metadata_insert, 18U);
    EXPECT_EQ(document.metadata_indent, 4U);
    EXPECT_TRUE(document.mentions_tailscale);
    EXPECT_EQ(sources.describe(document.name.pos()), "in.yaml:3:11");
}

}  // namespace
}  // namespace renderer::inline core
