#include "renderer/base/markup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "renderer/base/ascii.h"

namespace renderer::inline base {
namespace {

// Each tries to leave a label, or to be a command, in one of the formats.
constexpr std::array<std::string_view, 21> kHostileTexts = {
    "\"]; n0 --> n1",
    "</text><script>alert(1)</script>",
    "<!--",
    "]]>",
    "&#60;script&#62;&lt;",
    "'><image href='x' onerror='alert(1)'/>",
    "a\nclick n0 href \"javascript:alert(1)\"",
    "%%{init: {\"securityLevel\": \"loose\"}}%%",
    "%% a comment",
    "end",
    "\"`**markdown**`\"",
    "#quot;]; #35;",
    "style n0 fill:#f00;",
    "classDef x fill:#f00;",
    "ﬂ°lt¶ß",
    "\\\"; evil [label=\\N\\l",
    "trailing backslash\\",
    "```\n# heading",
    "[link](javascript:alert(1)) https://example.com @someone <b>",
    "\x1b[2J\xe2\x80\xae\xff\xef\xbf\xbe",
    "a\r\n---\ntitle: x\n---"};

TEST(Markup, XmlTextEndsNoElementAndNoAttribute) {
    for (const std::string_view text : kHostileTexts) {
        std::string escaped = xml_text(text);
        EXPECT_EQ(escaped.find_first_of("<>\"'\n\r\x1b"), std::string::npos) << escaped;
        for (std::size_t at = escaped.find('&'); at != std::string::npos;
             at = escaped.find('&', at + 1)) {
            EXPECT_EQ(escaped[at + 1], '#') << escaped;
        }
        EXPECT_EQ(escaped.find("\xef\xbf\xbe"), std::string::npos);
    }
    EXPECT_EQ(xml_text("a<b & \"c\" 'd' ä"), "a&#60;b &#38; &#34;c&#34; &#39;d&#39; ä");
    EXPECT_EQ(xml_text("\xef\xbf\xbf"), "\\uffff");
}

TEST(Markup, MermaidTextHasNothingButWordsAndEntityCodes) {
    for (const std::string_view text : kHostileTexts) {
        const std::string escaped = mermaid_text(text);
        EXPECT_TRUE(std::ranges::all_of(escaped, [](char c) {
            return is_alphanumeric(c) ||
                   std::string_view(" /.,-_()#;").find(c) != std::string_view::npos;
        })) << escaped;
        for (std::size_t at = escaped.find('#'); at != std::string::npos;
             at = escaped.find('#', at + 1)) {
            const std::size_t end = escaped.find_first_not_of("0123456789", at + 1);
            ASSERT_LT(end, escaped.size());
            EXPECT_EQ(escaped[end], ';') << escaped;
        }
    }
    EXPECT_EQ(mermaid_text("a\"b`c#d%e:f"), "a#34;b#96;c#35;d#37;e#58;f");
    EXPECT_EQ(mermaid_text("a\nb"), "a#92;nb");
    EXPECT_EQ(mermaid_text("ä😀"), "#228;#128512;");
}

TEST(Markup, DotTextStaysInItsQuotes) {
    for (const std::string_view text : kHostileTexts) {
        const std::string escaped = dot_text(text);
        EXPECT_EQ(escaped.find_first_of("\n\r\x1b"), std::string::npos) << escaped;
        std::size_t at = 0;
        for (; at < escaped.size() && escaped[at] != '"'; ++at) {
            at += escaped[at] == '\\' ? 1 : 0;
        }
        EXPECT_EQ(at, escaped.size()) << escaped;
    }
    EXPECT_EQ(dot_text("a\"b\\N&lt;<b>"), "a\\\"b\\\\N&amp;lt;<b>");
}

TEST(Markup, MarkdownTextIsNoMarkup) {
    for (const std::string_view text : kHostileTexts) {
        const std::string escaped = markdown_text(text);
        EXPECT_EQ(escaped.find_first_of("<>\"'`*_[]()!\\|~@:/.\n\r"), std::string::npos) << escaped;
    }
    EXPECT_EQ(markdown_text("a*b ä"), "a&#42;b ä");
}

TEST(Markup, ShortensByCharacters) {
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcd", 3), "ab…");
    EXPECT_EQ(shortened("äöüß", 3), "äö…");
    EXPECT_EQ(shortened("", 3), "");
}

}  // namespace
}  // namespace renderer::inline base
