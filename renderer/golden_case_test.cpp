#include "renderer/golden_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "renderer/base/temporary_folder_testing.h"

namespace renderer {
namespace {

TEST(GoldenCase, SurvivesParsingAndPrinting) {
    const std::string text =
        "why it matters\n-- a/b.yaml --\nx: 1\r\n\n--- # not a section\n-- flags --\nrender .\n";
    const GoldenCase golden = parse_case(text);
    EXPECT_EQ(golden.comment, "why it matters\n");
    EXPECT_EQ(golden.text_or("a/b.yaml", ""), "x: 1\r\n\n--- # not a section\n");
    EXPECT_EQ(print_case(golden), text);
}

TEST(GoldenCase, MakesFilesAndLinks) {
    const TemporaryFolder dir;
    const GoldenCase golden = parse_case("-- a/file (no final newline) --\nx\n-- b (link) --\na\n");
    (void)run_case(golden, "/bin/true", dir.path());
    std::ifstream file(dir.path() + "/tree/b/file");
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}), "x");
}

TEST(GoldenCase, SplitsTheCommandLine) {
    const auto words = [](const std::string& flags) {
        return arguments(parse_case("-- no-images --\n-- flags --\n" + flags));
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(arguments(parse_case("-- no-images --\n")), (Words{"render", ".", "--quiet"}));
    EXPECT_EQ(words("check .  -o out\n"), (Words{"check", ".", "-o", "out", "--quiet"}));
    EXPECT_EQ(words("render 'a b' ''\n"), (Words{"render", "a b", "", "--quiet"}));
    EXPECT_EQ(words("render .\n-- report --\n"), (Words{"render", "."}));
    EXPECT_EQ(words("--version\n"), (Words{"--version"}));
}

TEST(GoldenCase, NamesTheImagesUnlessTheCaseDoes) {
    const auto sets = [](const std::string& sections) {
        const std::vector<std::string> words = arguments(parse_case(sections));
        return std::count(words.begin(), words.end(), "--set");
    };
    EXPECT_EQ(sets(""), 2);
    EXPECT_EQ(sets("-- no-images --\n"), 0);
    EXPECT_EQ(sets("-- flags --\nroots .\n"), 0);
}

TEST(GoldenCase, RecordsOnlyWhatIsUnusual) {
    const GoldenCase golden =
        parse_case("-- a.yaml --\nx\n-- want:out --\nold\n-- want:exit --\n3\n");
    EXPECT_EQ(print_case(with_outcome(golden, {"", "", 0, {}})), "-- a.yaml --\nx\n");
    EXPECT_EQ(print_case(with_outcome(golden, {"y\n", "a: error: b\n", 1, {}})),
              "-- a.yaml --\nx\n-- want:out --\ny\n-- want:err --\na: error: b\n");
    EXPECT_EQ(print_case(with_outcome(golden, {"", "a: error: b\n", 2, {}})),
              "-- a.yaml --\nx\n-- want:err --\na: error: b\n-- want:exit --\n2\n");
}

TEST(GoldenCase, DecodesJsonOfSecrets) {
    const auto out = [](const std::string& text) {
        return with_outcome(parse_case("-- want:tree --\n"), {text, "", 0, {{"b.yaml", text}}});
    };
    const GoldenCase decoded = out("data:\n  a: eyJiIjoxfQ==\n  c: z\n");
    for (const char* section : {"want:out", "want:out/b.yaml"}) {
        EXPECT_EQ(decoded.text_or(section, ""), "data:\n  a: (base64) {\"b\":1}\n  c: z\n");
    }
    for (const char* text :
         {"a: eyJ", "a: eyJiIjoxfQ", "a: eyJiIjoxfQ= =", "a: eyJiIjox\nfQ==\n", "a: eyJiIgp9\n"}) {
        EXPECT_EQ(out(text).text_or("want:out", ""), text);
    }
}

TEST(GoldenCase, ComparesTheOutputTreeWhereAsked) {
    const Outcome outcome{"", "", 0, {{"b.yaml", "1\n"}}};
    EXPECT_EQ(print_case(with_outcome(parse_case("-- a --\n"), outcome)), "-- a --\n");
    EXPECT_EQ(print_case(with_outcome(parse_case("-- want:tree --\n"), outcome)),
              "-- want:out/b.yaml --\n1\n");
    EXPECT_EQ(print_case(with_outcome(parse_case("-- want:out/x --\n"), {"", "", 0, {}})),
              "-- want:tree --\n");
}

}  // namespace
}  // namespace renderer
