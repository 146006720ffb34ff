#include "renderer/core/value.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace renderer::inline core {
namespace {

TEST(Value, IsMadeOfNestedLists) {
    Value value = Value::map({{"name", "web"},
                              {"ports", Value::list({80, 443})},
                              {"spec", Value::map({{"on", true}, {"none", Value()}})}});
    EXPECT_EQ(value.find("name")->text(), "web");
    EXPECT_EQ(value.find("ports")->items()[1].as_int(), 443);
    EXPECT_TRUE(value.at({"spec", "on"})->as_bool());
    EXPECT_TRUE(value.at({"spec", "none"})->is_null());
    EXPECT_EQ(value.at({"spec", "missing", "deeper"}), nullptr);
    EXPECT_EQ(value.at({"name", "deeper"}), nullptr);
}

static_assert(std::is_constructible_v<Value, const char (&)[8]>, "a literal is borrowed");
static_assert(!std::is_constructible_v<Value, char (&)[8]>, "a buffer would be borrowed, too");

TEST(Value, KeepsTextsOfAnyLength) {
    for (std::size_t length = 0; length < 40; ++length) {
        const std::string text(length, 'x');
        const Value value{std::string_view(text)};
        EXPECT_EQ(value.text(), text);
        EXPECT_EQ(value.clone().text(), text);
        EXPECT_EQ(value.size(), length);
    }
}

TEST(Value, ReadsWholeNumbersInEverySpelling) {
    const struct {
        std::string_view spelling;
        std::optional<std::int64_t> want;
    } rows[] = {{"80", 80},
                {"-1", -1},
                {"+7", 7},
                {"0644", 420},
                {"0o17", 15},
                {"0x1F", 31},
                {"0b101", 5},
                {"1_000", 1000},
                {"0", 0},
                {"1.0", std::nullopt},
                {"1e3", std::nullopt},
                {".inf", std::nullopt},
                {"99999999999999999999", std::nullopt}};
    for (const auto& row : rows) {
        SCOPED_TRACE(row.spelling);
        EXPECT_EQ(Value::number(row.spelling).as_int(), row.want);
        EXPECT_EQ(Value::number(row.spelling).text(), row.spelling);
    }
    EXPECT_EQ(Value("80").as_int(), std::nullopt);
}

TEST(Value, ReplacesAppendsAndErasesMembers) {
    Value map = Value::map({{"a", 1}, {"b", 2}, {"c", 3}});
    map.put("b", "two");
    map.put("d", 4);
    EXPECT_TRUE(map.erase("a"));
    EXPECT_FALSE(map.erase("a"));
    EXPECT_EQ(map, Value::map({{"d", 4}, {"c", 3}, {"b", "two"}}));
    put_if(map, false, "e", 5);
    EXPECT_EQ(map.find("e"), nullptr);
}

TEST(Value, ComparesContentNotPlacesOrOrder) {
    Value placed("x");
    placed.set_pos(Pos{7});
    EXPECT_EQ(placed, Value("x"));
    EXPECT_FALSE(Value("1") == Value::number("1"));
    EXPECT_FALSE(Value::list({1, 2}) == Value::list({2, 1}));
    EXPECT_FALSE(Value::map({{"a", 1}}) == Value::map({{"a", 1}, {"b", 1}}));
}

TEST(Value, CloneIsDeepAndKeepsPlaces) {
    Value original = Value::map({{"list", Value::list({"a long text that is owned"})}});
    original.set_pos(Pos{3});
    Value copy = original.clone();
    copy.find("list")->append(1);
    EXPECT_EQ(original.find("list")->size(), 1U);
    EXPECT_EQ(copy.pos(), Pos{3});
}

TEST(ValueDeathTest, WrongKindIsABug) {
    EXPECT_DEATH((void)Value(1).as_bool(), "broken invariant");
}

}  // namespace
}  // namespace renderer::inline core
