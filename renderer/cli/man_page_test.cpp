#include "renderer/cli/man_page.h"

#include <gtest/gtest.h>

namespace renderer {
namespace {

bool has(const std::string& page, const std::string& text) {
    return page.find(text) != std::string::npos;
}

TEST(ManPage, NamesEveryVerbAndFlag) {
    const std::string page = man_page(command_table());
    for (const VerbInfo& verb : command_table()) {
        std::string name;
        for (const char c : verb.name) {
            name += c == '-' ? "\\-" : std::string(1, c);
        }
        EXPECT_TRUE(has(page, "\n.SS \\fBtailrender " + name + "\\fR")) << verb.name;
    }
    EXPECT_TRUE(has(page, "\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIDIR\\fR\n\\&directory"));
    EXPECT_TRUE(has(page,
                    "\n.SS \\fBtailrender check\\fR \\fIPATH\\fR \\fB\\-\\-output\\fR "
                    "\\fIDIR\\fR [\\fIoption\\fR]\n"));
    EXPECT_TRUE(has(page, "\n.SS \\fBtailrender lint\\fR [\\fIPATH\\fR] [\\fIoption\\fR]\n"));
    EXPECT_TRUE(has(page, "\n.TP\n\\fISHELL\\fR\n\\&the shell: bash|zsh|fish\n"));
    EXPECT_TRUE(has(page, "\n\\&tailrender render . | kubectl apply \\-f \\-\n"));
}

TEST(ManPage, DescribesSharedFlagsOnce) {
    const FlagInfo shared{{"-q", "--quiet"}, "", "be quiet"};
    const FlagInfo own{{"--own"}, "a|b", "only here"};
    const std::string page = man_page({{"one", "first", {shared, own}, "", {}, "  one x\n"},
                                       {"two", "second", {shared}, "", {}, "  two x\n"},
                                       {"three", "third", {}, "", {}, "  three x\n"}});
    const std::string quiet = "\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\n\\&be quiet\n";
    const std::size_t first = page.find(quiet);
    ASSERT_NE(first, std::string::npos) << page;
    EXPECT_EQ(page.find(quiet, first + 1), std::string::npos);
    EXPECT_GT(first, page.find(".SH COMMON OPTIONS"));
    EXPECT_TRUE(has(page,
                    "\\fB\\-\\-own\\fR \\fIa|b\\fR\n\\&only here\n.PP\n"
                    "Common options: \\fB\\-\\-quiet\\fR\n"));
}

TEST(ManPage, PrintsTextAsItStands) {
    const std::string page =
        man_page({{"one", ".dot it's \\n", {}, "", {}, "  'x' `y` ~/z\n  \n"}});
    EXPECT_TRUE(has(page, "\n\\&.dot it\\(aqs \\en\n")) << page;
    EXPECT_TRUE(has(page, "\n\\&\\(aqx\\(aq \\(gay\\(ga \\(ti/z\n\\&\n.fi\n")) << page;
}

}  // namespace
}  // namespace renderer
