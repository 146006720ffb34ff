#include "runtime/base/json_items.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace runtime::inline base {
namespace {

struct Found {
    std::string items, rest;
    bool operator==(const Found&) const = default;
};

Found read(std::string_view text, std::size_t piece) {
    Found found;
    JsonItems items(
        [&found](const renderer::Value& item) { found.items += renderer::write_json(item) + " "; });
    for (std::size_t i = 0; i < text.size(); i += piece) {
        items.take(text.substr(i, piece));
    }
    found.rest = items.rest();
    return found;
}

TEST(JsonItems, AreHandedOnOneByOne) {
    struct Case {
        const char* name;
        std::string_view text;
        Found want;
    };
    const Case cases[] = {
        {"as Kubernetes writes it",
         R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"c"},"items":[{"a":1},{"b":{"c":[1,{}]}}]})"
         "\n",
         {R"({"a":1} {"b":{"c":[1,{}]}} )",
          R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"c"},"items":[]})"}},
        {"with space, and the items first",
         "{ \"items\" : [ {\"a\" : \"x y\"} ,\n {} ] , \"kind\" : \"a b\" }",
         {R"({"a":"x y"} {} )", R"({"items":[],"kind":"a b"})"}},
        {"brackets and quotes in strings",
         R"({"items":[{"a":"]}\"\\"},{"items":[{"b":"[{\\\""}]}]})",
         {R"({"a":"]}\"\\"} {"items":[{"b":"[{\\\""}]} )", R"({"items":[]})"}},
        {"other lists of that name",
         R"({"metadata":{"items":[{"a":1}]},"x":["\"items\":[",{}],"items":[]})",
         {"", R"({"metadata":{"items":[{"a":1}]},"x":["\"items\":[",{}],"items":[]})"}},
        {"no list", R"({"items":null,"kind":"L"})", {"", R"({"items":null,"kind":"L"})"}},
        {"no items", R"({"kind":"Status"})", {"", R"({"kind":"Status"})"}},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(read(one.text, one.text.size()), one.want);
        for (std::size_t piece = 1; piece < 9; ++piece) {
            EXPECT_EQ(read(one.text, piece), one.want);
        }
    }
}

TEST(JsonItems, WhatIsNotWholeLeavesARestThatIsNotJson) {
    for (const std::string_view text :
         {R"({"kind":"L","items":[{"a":1},{"b")", R"({"kind":"L","items":[{"a":1})",
          R"({"kind":"L","items":[{"a":1},3,{"b":1}]})", R"({"kind":"L","items":[{"a":1},{"b"}]})",
          R"({"kind":"L","items":[{"a":1}],"x":)", "", "]}", "<h1>It works</h1>"}) {
        SCOPED_TRACE(text);
        const Found found = read(text, 1);
        EXPECT_EQ(found.items, text.starts_with("{") ? R"({"a":1} )" : "");
        EXPECT_FALSE(renderer::read_json(found.rest).has_value()) << found.rest;
    }
}

// A user who may write one object must not be able to hide the others.
TEST(JsonItems, AnItemThatIsNestedTooDeepKeepsNoOtherBack) {
    const std::string deep = std::string(150, '[') + std::string(150, ']');
    const Found found = read(R"({"items":[{"n":1,"deep":)" + deep + R"(},{"n":2}]})", 7);
    EXPECT_TRUE(found.items.starts_with(R"({"n":1,)")) << found.items;
    EXPECT_TRUE(found.items.ends_with(R"( {"n":2} )")) << found.items;
    EXPECT_EQ(found.rest, R"({"items":[]})");
}

TEST(JsonItems, AnItemWithoutAnEndIsNotKept) {
    std::string text = R"({"items":[{"a":")" + std::string(std::size_t{9} << 20U, 'x');
    EXPECT_EQ(read(text, text.size()), Found{});
}

}  // namespace
}  // namespace runtime::inline base
