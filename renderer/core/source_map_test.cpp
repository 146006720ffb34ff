#include "renderer/core/source_map.h"

#include <gtest/gtest.h>

namespace renderer::inline core {
namespace {

TEST(SourceMap, TurnsPlacesIntoLines) {
    SourceMap sources;
    const SourceId empty = sources.add("empty", "");
    const SourceId first = sources.add("a.yaml", "one\r\ntwo\n");
    const SourceId second = sources.add("b.yaml", "three");
    EXPECT_EQ(sources.describe(sources.pos(first, 0)), "a.yaml:1:1");
    EXPECT_EQ(sources.describe(sources.pos(first, 6)), "a.yaml:2:2");
    EXPECT_EQ(sources.locate(sources.pos(first, 1)).text, "one");
    EXPECT_EQ(sources.describe(sources.pos(first, 9)), "a.yaml:3:1");
    EXPECT_EQ(sources.describe(sources.pos(second, 5)), "b.yaml:1:6");
    EXPECT_EQ(sources.describe(sources.pos(empty, 0)), "empty:1:1");
    EXPECT_EQ(sources.describe(Pos{}), "");
    EXPECT_EQ(sources.source_of(sources.pos(second, 2)), second);
    EXPECT_EQ(sources.offset_of(sources.pos(second, 2)), 2U);
}

TEST(SourceMap, CountsLinesOfLargeTexts) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) {
        text += "line\n";
    }
    SourceMap sources;
    const SourceId source = sources.add("a.yaml", text);
    for (std::size_t line = 0; line <= 10'000; line += 97) {
        EXPECT_EQ(sources.locate(sources.pos(source, line * 5)).line, line + 1);
    }
    EXPECT_EQ(sources.describe(sources.pos(source, text.size())), "a.yaml:10001:1");
}

TEST(SourceMap, PartsHaveNamesInsteadOfLines) {
    SourceMap sources;
    const SourceId source = sources.add("<stdin>", "head\na: 1\nb: 2\n");
    sources.name_part(source, 5, "a.yaml[0]");
    sources.name_part(source, 10, "b.yaml[1]", "b.yaml");
    EXPECT_EQ(sources.describe(sources.pos(source, 4)), "<stdin>:1:5");
    EXPECT_EQ(sources.describe(sources.pos(source, 9)), "a.yaml[0]");
    EXPECT_EQ(sources.describe(sources.pos(source, 13)), "b.yaml[1]");
    EXPECT_EQ(sources.locate(sources.pos(source, 13)).text, "b: 2");
    EXPECT_EQ(sources.file_of_part(sources.pos(source, 4)), "");
    EXPECT_EQ(sources.file_of_part(sources.pos(source, 9)), "");
    EXPECT_EQ(sources.file_of_part(sources.pos(source, 13)), "b.yaml");
}

}  // namespace
}  // namespace renderer::inline core
