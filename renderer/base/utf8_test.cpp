#include "renderer/base/utf8.h"

#include <gtest/gtest.h>

namespace renderer::inline base {
namespace {

constexpr std::size_t kFine = std::string_view::npos;

struct Row {
    std::string_view text;
    std::size_t want;
};

// Table 3-7 of the Unicode standard: the first and last sequence of each row, and the values just
// outside of it.
TEST(Utf8, FindsTheFirstBadByte) {
    using namespace std::string_view_literals;
    const Row rows[] = {
        {"", kFine},
        {"abc", kFine},
        {"\xC2\x80\xDF\xBF", kFine},
        {"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", kFine},
        {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", kFine},
        {"a\x80", 1},
        {"a\xC1\xBF", 1},
        {"a\xE0\x9F\xBF", 1},
        {"a\xED\xA0\x80", 1},
        {"a\xF0\x8F\xBF\xBF", 1},
        {"a\xF4\x90\x80\x80", 1},
        {"a\xF5\x80\x80\x80", 1},
        {"a\xFF", 1},
        {"a\xC3", 1},
        {"a\xC3z", 1},
        {"12345678\xE2\x82", 8},
        {"a\0b"sv, kFine},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(find_bad_utf8(row.text), row.want);
    }
}

TEST(Utf8, FindsCharactersThatYamlForbids) {
    using namespace std::string_view_literals;
    const Row rows[] = {
        {"a\tb\nc\r\n", kFine},
        {"\xC2\x85\xC2\xA0\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBD", kFine},
        {"a\0"sv, 1},
        {"a\x1F", 1},
        {"a\x7F", 1},
        {"a\rb", 1},
        {"a\r", 1},
        {"a\xC2\x84", 1},
        {"a\xC2\x9F", 1},
        {"a\xEF\xBF\xBE", 1},
        {"a\xEF\xBF\xBF", 1},
        {"\xC3\xA9\xFF", 2},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(find_bad_character(row.text), row.want);
    }
}

}  // namespace
}  // namespace renderer::inline base
