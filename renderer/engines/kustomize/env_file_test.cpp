#include "renderer/engines/kustomize/env_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace renderer::engines {
namespace {

// Returns "[key]=[value]" of each entry, then where the file is bad or cut off.
std::string dump(std::string_view text) {
    const EnvFile file = parse_env_file(text);
    std::string out;
    for (const EnvEntry& entry : file.entries) {
        out += fmt::format("[{}]=[{}]", entry.key, entry.value);
    }
    if (file.bad_utf8) {
        out += fmt::format(" bad at {}", *file.bad_utf8);
    }
    if (file.cut_off) {
        out += fmt::format(" cut at {}", *file.cut_off);
    }
    return out;
}

struct EnvFileRow {
    std::string_view name, text, want;
};

// The rows follow the steps of kustomize's parser: split, trim, skip, split at `=`, …
TEST(EnvFile, Grammar) {
    constexpr std::array kRows = {
        EnvFileRow{"one line without an end", "a=1", "[a]=[1]"},
        EnvFileRow{"one carriage return is removed", "a=1\r\nb=2\r\r\n", "[a]=[1][b]=[2\r]"},
        EnvFileRow{"a lone carriage return is data", "a=1\rb=2\n", "[a]=[1\rb=2]"},
        EnvFileRow{"an empty line at the end", "a=1\n\n", "[a]=[1]"},
        EnvFileRow{"a byte order mark on the first line", "\xEF\xBB\xBF a=1\n", "[a]=[1]"},
        EnvFileRow{"a byte order mark behind a blank stays", " \xEF\xBB\xBF#a=1\n",
                   "[\xEF\xBB\xBF#a]=[1]"},
        EnvFileRow{"a byte order mark on the second line stays", "x=\n\xEF\xBB\xBF#a=1\n",
                   "[x]=[][\xEF\xBB\xBF#a]=[1]"},
        EnvFileRow{"all Unicode blanks are trimmed on the left",
                   "\t\v\f \xC2\x85\xC2\xA0\xE2\x80\xA8 a=1", "[a]=[1]"},
        EnvFileRow{"a zero width space is not white space",
                   "\xE2\x80\x8B"
                   "a=1",
                   "[\xE2\x80\x8B"
                   "a]=[1]"},
        EnvFileRow{"nothing is trimmed on the right", "a=1 \t\n", "[a]=[1 \t]"},
        EnvFileRow{"comments", "# a=1\n  # b=2\nc=3 # d\n", "[c]=[3 # d]"},
        EnvFileRow{"no equals sign", "alone\n", "[alone]=[]"},
        EnvFileRow{"the first equals sign counts", "a=b=c", "[a]=[b=c]"},
        EnvFileRow{"the key keeps its blanks", "KEY =v", "[KEY ]=[v]"},
        EnvFileRow{"no key", "=v\n==\na=1", "[a]=[1]"},
        EnvFileRow{"quotes and export stay", "export A=\"x\"\nB='y'\nC=${D}",
                   "[export A]=[\"x\"][B]=['y'][C]=[${D}]"},
        EnvFileRow{"bad UTF-8 ends the file", "a=1\nb=\xFF\nc=3", "[a]=[1] bad at 4"},
        EnvFileRow{"a surrogate is bad UTF-8", "b=\xED\xA0\x80", " bad at 0"},
    };
    for (const EnvFileRow& row : kRows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(dump(row.text), row.want);
    }
}

TEST(EnvFile, LongLineHidesTheRest) {
    const std::string fits = "a=" + std::string(kMaxEnvLine - 2, 'x');
    EXPECT_EQ(parse_env_file(fits + "\nb=2\n").entries.size(), 2U);
    const EnvFile file = parse_env_file("z=0\n" + fits + "x\nb=2\n");
    ASSERT_EQ(file.entries.size(), 1U);
    EXPECT_EQ(file.cut_off, 4U);
}

TEST(EnvFile, Literals) {
    const auto text = [](std::string_view literal) {
        const std::optional<KeyValue> pair = parse_literal(literal);
        return pair ? fmt::format("[{}]=[{}]", pair->key, pair->value) : "refused";
    };
    EXPECT_EQ(text("a=b"), "[a]=[b]");
    EXPECT_EQ(text("a="), "[a]=[]");
    EXPECT_EQ(text("a=b=c"), "[a]=[b=c]");
    EXPECT_EQ(text("a='b'"), "[a]=[b]");
    EXPECT_EQ(text("a=\"'b'\""), "[a]=['b']");
    EXPECT_EQ(text("a='b\""), "[a]=['b\"]");
    EXPECT_EQ(text("a='"), "[a]=[']");
    EXPECT_EQ(text("a=''"), "[a]=[]");
    EXPECT_EQ(text("=b"), "refused");
    EXPECT_EQ(text("ab"), "refused");
}

TEST(EnvFile, FileSources) {
    const auto text = [](std::string_view source) {
        const std::optional<KeyValue> pair = parse_file_source(source);
        return pair ? fmt::format("[{}]=[{}]", pair->key, pair->value) : "refused";
    };
    EXPECT_EQ(text("dir/a.conf"), "[a.conf]=[dir/a.conf]");
    EXPECT_EQ(text("key=dir/a.conf"), "[key]=[dir/a.conf]");
    EXPECT_EQ(text("=a"), "refused");
    EXPECT_EQ(text("a="), "refused");
    EXPECT_EQ(text("a=b=c"), "refused");
}

std::string lint(const std::string& text, std::string_view example = "") {
    SourceMap sources;
    const SourceId source = sources.add("oauth.env", text);
    Diagnostics diagnostics;
    lint_env_file(sources, source, parse_env_file(sources.text(source)), example, diagnostics);
    return diagnostics.print(sources, false);
}

TEST(EnvFile, LintIsSilentOnAGoodFile) {
    EXPECT_EQ(lint("# client\nclient_id=k1\nclient_secret=s1\n", "client_id=<id>\n"), "");
}

TEST(EnvFile, LintNeverPrintsValues) {
    const std::string text = lint(
        "\xEF\xBB\xBF"
        "client_id=\"HIDDEN1\"\nexport B=HIDDEN2 \nKEY =HIDDEN3\nHIDDEN4\n",
        "KEY =HIDDEN3\n");
    EXPECT_EQ(text.find("HIDDEN"), std::string::npos) << text;
    EXPECT_EQ(
        text,
        "oauth.env:1:1: warning: the file begins with a byte order mark [suspicious-env-file]\n"
        "  hint: save it as UTF-8 without one\n"
        "oauth.env:1:4: warning: the quotes become part of the value of \"client_id\" "
        "[suspicious-env-file]\n"
        "  hint: remove the quotes\n"
        "oauth.env:2:1: warning: \"export\" becomes part of the key [suspicious-env-file]\n"
        "  hint: remove \"export\"\n"
        "oauth.env:2:1: warning: the trailing space becomes part of the value of \"export B\" "
        "[suspicious-env-file]\n"
        "  hint: remove it\n"
        "oauth.env:3:1: warning: \"KEY \" still has its example value "
        "[suspicious-env-file]\n"
        "  hint: fill in the real value\n"
        "oauth.env:3:1: warning: a key may only contain letters, digits, \"-\", \"_\" and \".\" "
        "[suspicious-env-file]\n"
        "  hint: write KEY=value without spaces around \"=\"\n"
        "oauth.env:4:1: warning: a line without \"=\" is a key with an empty value "
        "[suspicious-env-file]\n"
        "  hint: write KEY=value without spaces around \"=\"\n");
}

TEST(EnvFile, LintNamesALineThatIsTooLong) {
    EXPECT_EQ(lint("a=1\nb=" + std::string(70000, 'x')),
              "oauth.env:2:1: warning: a line is longer than 65535 bytes: it and all lines after "
              "it are ignored [suspicious-env-file]\n"
              "  hint: use \"files\" for long values\n");
}

TEST(EnvFile, KnowsSops) {
    EXPECT_TRUE(is_encrypted(parse_env_file("client_id=ENC[…]\nsops_mac=x\n")));
    EXPECT_FALSE(is_encrypted(parse_env_file("client_id=sops_\n")));
}

}  // namespace
}  // namespace renderer::engines
