#include "renderer/base/printable.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace renderer::inline base {
namespace {

TEST(Printable, SpellsWhatMovesTurnsOrHides) {
    struct Row {
        std::string_view text, want;
    };
    for (const Row& row : {
             Row{"web \xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80",
                 "web \xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80"},
             Row{"a\nb\rc\td", "a\\nb\\rc\\td"},
             Row{"\x1b[2J\x7f", "\\u001b[2J\\u007f"},
             Row{"\xc2\x9b"
                 "2J",
                 "\\u009b2J"},  // CSI as a C1 character
             Row{"a\xe2\x80\xae"
                 "b\xe2\x81\xa6",
                 "a\\u202eb\\u2066"},  // direction marks
             Row{"a\xe2\x80\xa8"
                 "b",
                 "a\\u2028b"},
             Row{"\xef\xbb\xbfx\xc2\xad", "\\ufeffx\\u00ad"},
             Row{"\xf3\xa0\x81\x81", "\\udb40\\udc41"},
             Row{"\xff\xc3(\xe2\x80", "?\?(?\?"},
             Row{std::string_view("\0", 1), "\\u0000"},
         }) {
        EXPECT_EQ(on_one_line(row.text), row.want);
        EXPECT_EQ(is_printable(row.text), row.text == row.want);
    }
}

TEST(Printable, GivesNoCommandsToCiServices) {
    struct Row {
        std::string_view text, want;
    };
    for (const Row& row : {
             Row{"a\n  b\tc\n", "a\n  b\tc\n"},
             Row{"::error::x", "\\u003a:error::x"},
             Row{"a\n \t ::set-output name=a::b", "a\n \t \\u003a:set-output name=a::b"},
             Row{"\xc2\xa0\xe3\x80\x80::add-mask::x", "\xc2\xa0\xe3\x80\x80\\u003a:add-mask::x"},
             Row{"\xe2\x80\x8b::stop", "\\u200b::stop"},
             Row{"std::string a :: b", "std::string a :: b"},
             Row{"say ##[error]x", "say ##\\u005berror]x"},
             Row{"##vso[task.setvariable]x ## [a] ##", "##vso\\u005btask.setvariable]x ## [a] ##"},
             Row{"a\r::error", "a\\r::error"},
         }) {
        EXPECT_EQ(as_lines(row.text, OwnColors::No), row.want);
    }
}

TEST(Printable, KeepsOurOwnColorsAndNoOthers) {
    const std::string text = "\x1b[1;31merror\x1b[0m \x1b[8mhidden \x1b]0;title\x07";
    EXPECT_EQ(as_lines(text, OwnColors::Yes),
              "\x1b[1;31merror\x1b[0m \\u001b[8mhidden \\u001b]0;title\\u0007");
    EXPECT_EQ(as_lines("\x1b[1;31m", OwnColors::No), "\\u001b[1;31m");
    EXPECT_EQ(as_lines("\x1b[1m::error", OwnColors::Yes), "\x1b[1m\\u003a:error");
}

TEST(Printable, KnowsPathComponents) {
    for (const std::string_view good : {"a", "...", "a b.yaml", ".hidden", "\xc3\xa4", "-"}) {
        EXPECT_TRUE(is_path_component(good)) << good;
    }
    for (const std::string_view bad : {"", ".", "..", "a/b", "/", "a\nb", "a\x7f", "\xff"}) {
        EXPECT_FALSE(is_path_component(bad)) << bad;
    }
    EXPECT_TRUE(is_path_component(std::string(255, 'a')));
    EXPECT_FALSE(is_path_component(std::string(256, 'a')));
}

TEST(Printable, QuotesForAShell) {
    EXPECT_EQ(shell_word("apps/web-1.yaml"), "apps/web-1.yaml");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("HEAD~1"), "HEAD~1");
    EXPECT_EQ(shell_word("~root/x"), "'~root/x'");
    EXPECT_EQ(shell_word("a b"), "'a b'");
    EXPECT_EQ(shell_word("--post-renderer=x"), "./--post-renderer=x");
    EXPECT_EQ(shell_word("-o x"), "'./-o x'");
    EXPECT_EQ(shell_word("$(rm -rf ~); it's"), "'$(rm -rf ~); it'\\''s'");
}

TEST(Printable, NamesSome) {
    const std::vector<std::string> names = {"a", "b", "c", "d"};
    EXPECT_EQ(some_of({}, 2), "");
    EXPECT_EQ(some_of(names, 4), "a, b, c, d");
    EXPECT_EQ(some_of(names, 2), "a, b and 2 more");
}

}  // namespace
}  // namespace renderer::inline base
