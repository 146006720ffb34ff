#include "renderer/diff/fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "renderer/core/json.h"

namespace renderer::diff {
namespace {

std::string changed_fields(std::string_view kind, std::string_view before, std::string_view after) {
    std::string out;
    for (const FieldChange& change : compare_fields(kind, *read_json(before), *read_json(after))) {
        out += change.path + "|" + change.before + "|" + change.after + ";";
    }
    return out;
}

TEST(Fields, IgnoreTheOrderOfKeys) {
    EXPECT_EQ(changed_fields("X", R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"d":3,"c":2},"a":1})"),
              "");
}

TEST(Fields, TakeNullForAbsentButNotEmpty) {
    EXPECT_EQ(changed_fields("X", R"({"a":null})", R"({})"), "");
    EXPECT_EQ(changed_fields("X", R"({"a":{}})", R"({})"), "a|{}|;");
}

TEST(Fields, KeepTheOrderOfArguments) {
    EXPECT_EQ(changed_fields("X", R"({"args":["a","b"]})", R"({"args":["b","a"]})"),
              R"(args[0]|"a"|"b";args[1]|"b"|"a";)");
    EXPECT_EQ(changed_fields("X", R"({"args":["a","c"]})", R"({"args":["a","b","c"]})"),
              R"(args[1]||"b";)");
}

TEST(Fields, CompareContainersByName) {
    EXPECT_EQ(changed_fields("X", R"({"containers":[{"name":"a","x":1},{"name":"b"}]})",
                             R"({"containers":[{"name":"b"},{"name":"a","x":2}]})"),
              "containers[name=a].x|1|2;");
}

TEST(Fields, FallBackWhereNamesAreNotUnique) {
    EXPECT_EQ(changed_fields("X", R"({"env":[{"name":"a","value":"1"},{"name":"a","value":"2"}]})",
                             R"({"env":[{"name":"a","value":"1"},{"name":"a","value":"3"}]})"),
              R"(env[1].value|"2"|"3";)");
}

TEST(Fields, TellPortsByNumberAndProtocol) {
    EXPECT_EQ(
        changed_fields("Service", R"({"ports":[{"port":53,"protocol":"UDP"},{"port":53}]})",
                       R"({"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]})"),
        R"(ports[port=53,protocol=TCP].protocol||"TCP";)");
}

TEST(Fields, TakeRulesForUnions) {
    EXPECT_EQ(changed_fields("Role", R"({"rules":[{"verbs":["get","list"]},{"verbs":["create"]}]})",
                             R"({"rules":[{"verbs":["create"]},{"verbs":["list","get"]}]})"),
              "");
    EXPECT_EQ(changed_fields("Role", R"({"rules":[{"verbs":["get"]}]})",
                             R"({"rules":[{"verbs":["watch","get"]}]})"),
              R"(rules[].verbs[]||"watch";)");
    EXPECT_EQ(
        changed_fields(
            "Role",
            R"({"rules":[{"resourceNames":["a"],"verbs":["get"]},{"resourceNames":["a"],"verbs":["watch"]}]})",
            R"({"rules":[{"resourceNames":["a","b"],"verbs":["get"]},)"
            R"({"resourceNames":["a","c"],"verbs":["watch"]},{"verbs":["list"]}]})"),
        R"(rules[]||{"verbs":["list"]};rules[].resourceNames[]||"b";rules[].resourceNames[]||"c";)");
    EXPECT_EQ(changed_fields("Other", R"({"rules":["a","b"]})", R"({"rules":["b","a"]})"),
              R"(rules[0]|"a"|"b";rules[1]|"b"|"a";)");
}

TEST(Fields, SayThatATemplateIsReordered) {
    const std::string_view before = R"({"spec":{"template":{"env":[{"name":"a"},{"name":"b"}]}}})";
    const std::string_view after = R"({"spec":{"template":{"env":[{"name":"b"},{"name":"a"}]}}})";
    EXPECT_EQ(changed_fields("X", before, after), "spec.template.env||;");
}

TEST(Fields, QuoteKeysThatAreNotWords) {
    EXPECT_EQ(changed_fields("X", R"({"m":{"a.b/c":1}})", R"({"m":{"a.b/c":2}})"),
              R"(m["a.b/c"]|1|2;)");
}

TEST(Fields, ShowWhereLongTextsDiffer) {
    const std::string same(1000, 'x');
    const std::string out =
        changed_fields("X", R"({"t":")" + same + R"(one"})", R"({"t":")" + same + R"(two"})");
    EXPECT_NE(out.find("one"), std::string::npos);
    EXPECT_NE(out.find("two"), std::string::npos);
    EXPECT_LT(out.size(), 300U);
}

TEST(Fields, NeverCutACharacter) {
    std::string text;
    for (int i = 0; i < 200; ++i) {
        text += "ä";
    }
    const std::string shown = shown_value(Value(text));
    EXPECT_NE(shown.find("ä…"), std::string::npos) << shown;
}

}  // namespace
}  // namespace renderer::diff
