#include "renderer/core/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace renderer::inline core {
namespace {

TEST(Json, IsWrittenAsGoDoes) {
    const Value value = Value::map({{"b", "<a&b>\xE2\x80\xA8\xC3\xA9\x01\"\\/\n"},
                                    {"a", Value::list({1, true, Value()})},
                                    {"n", Value::number("0644")}});
    EXPECT_EQ(write_json(value),
              "{\"b\":\"\\u003ca\\u0026b\\u003e\\u2028\xC3\xA9\\u0001\\\"\\\\/"
              "\\n\",\"a\":[1,true,null],\"n\":420}");
    EXPECT_EQ(write_json_sorted(value).substr(0, 20), "{\"a\":[1,true,null],\"");
    EXPECT_EQ(write_json_pretty(Value::map({{"a", Value::list({1, 2})}, {"b", Value::map()}})),
              "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

// As sigs.k8s.io/yaml's YAMLToJSON converts the YAML spelling, except for the digits of a float.
TEST(Json, WritesNumbersOfYamlAsJson) {
    const struct {
        const char* spelling;
        const char* want;
    } rows[] = {{"0", "0"},
                {"-7", "-7"},
                {"+7", "7"},
                {"0644", "420"},
                {"08", "8"},
                {"-08", "-8"},
                {"0x1f", "31"},
                {"1_000", "1000"},
                {".5", "0.5"},
                {"-.5", "-0.5"},
                {"1.", "1"},
                {"+1.50", "1.50"},
                {"00.5", "0.5"},
                {"1.e3", "1e3"},
                {"1_000.5", "1000.5"},
                {"1e3", "1e3"},
                {"09.", "9"},
                {"000", "0"},
                {"1.5E+3", "1.5E+3"},
                {".inf", "\".inf\""},
                {".5e1", "0.5e1"},
                {"0.e1", "0e1"},
                {"18446744073709551616", "18446744073709551616"}};
    for (const auto& row : rows) {
        SCOPED_TRACE(row.spelling);
        EXPECT_EQ(write_json(Value::number(row.spelling)), row.want);
    }
}

TEST(Json, ReadsBackWhatItWrote) {
    const Value value = Value::map({{"a", Value::list({1, "x", Value::map({{"b", false}})})},
                                    {"big", Value::number("18446744073709551615")},
                                    {"f", Value::number("1.50")}});
    const Result<Value> again = read_json(write_json(value));
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(*again == value);
}

TEST(Json, FindsADuplicateKeyInALargeObject) {
    const auto object = [](int count, const std::string& last) {
        std::string text = "{";
        for (int i = 0; i < count; ++i) {
            text += fmt::format("\"key-{}\":{{\"a\":{}}},", i, i);
        }
        return text + fmt::format("\"{}\":1}}", last);
    };
    for (const int count : {1, 31, 32, 33, 1000}) {
        SCOPED_TRACE(count);
        const auto read = read_json(object(count, "last"));
        ASSERT_TRUE(read.has_value());
        EXPECT_EQ(read->size(), static_cast<std::size_t>(count) + 1);
        for (const int twice : {0, count / 2, count - 1}) {
            auto refused = read_json(object(count, fmt::format("key-{}", twice)));
            ASSERT_FALSE(refused.has_value());
            EXPECT_EQ(refused.error().diagnostic.message,
                      fmt::format("duplicate key \"key-{}\"", twice));
        }
    }
}

TEST(Json, WithinLimitsLeavesOutWhatIsBeyond) {
    struct Case {
        std::string text, want;
    };
    const std::string deep = std::string(150, '[') + "{\"x\":1}" + std::string(150, ']');
    const std::string kept = std::string(99, '[') + "null" + std::string(99, ']');
    const Case cases[] = {
        {R"({"a":1,"a":[{"b":2}],"c":3})", R"({"a":1,"c":3})"},
        {R"({"a":{"b":1,"b":{"c":2}},"d":4})", R"({"a":{"b":1},"d":4})"},
        {"{\"a\":" + deep + ",\"b\":2}", "{\"a\":" + kept + ",\"b\":2}"},
        {R"({"a":[1,{"b":[]}]})", R"({"a":[1,{"b":[]}]})"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.text);
        const auto read = read_json_within_limits(one.text);
        ASSERT_TRUE(read.has_value());
        EXPECT_EQ(write_json(*read), one.want);
    }
    EXPECT_EQ(read_json_within_limits("{\"a\":}").error().diagnostic.message, "not JSON at byte 6");
}

TEST(Json, PiecesAreTheWholeMap) {
    const Value items[] = {Value::map({{"a", 1}, {"b", Value::list()}}), Value("x")};
    for (std::size_t count = 0; count <= std::size(items); ++count) {
        for (const bool has_rest : {false, true}) {
            Value whole = Value::map({{"version", 1}, {"report", "test"}});
            Value rest = Value::map();
            JsonPieces pieces;
            std::string text = pieces.begin(whole, "list");
            Value list = Value::list();
            for (std::size_t i = 0; i < count; ++i) {
                text += pieces.item(items[i]);
                list.append(items[i].clone());
            }
            whole.add("list", std::move(list));
            if (has_rest) {
                rest.add("rest", Value(true));
                whole.add("rest", Value(true));
            }
            EXPECT_EQ(text + pieces.end(rest), write_json_pretty(whole));
        }
    }
}

TEST(Json, SaysWhatIsWrong) {
    EXPECT_EQ(read_json("{\"a\":1,\"a\":2}").error().diagnostic.message, "duplicate key \"a\"");
    EXPECT_EQ(read_json("{\"a\":}").error().diagnostic.message, "not JSON at byte 6");
    EXPECT_EQ(read_json(std::string(200, '[')).error().diagnostic.message,
              "nested deeper than 100 levels");
    EXPECT_FALSE(read_json("1 2").has_value());
}

}  // namespace
}  // namespace renderer::inline core
