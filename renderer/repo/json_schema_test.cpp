#include "renderer/repo/json_schema.h"

#include <gtest/gtest.h>

#include <array>

#include "renderer/core/json.h"

namespace renderer::repo {
namespace {

constexpr std::array kInner = {SchemaField{"size", FieldType::Number}};
constexpr std::array kFields = {
    SchemaField{"a b", FieldType::Text},
    SchemaField{.names = "tag", .type = FieldType::Text, .form = "a tag"},
    SchemaField{.names = "mode", .type = FieldType::TextOrFlag, .choices = "true|noauth"},
    SchemaField{
        .names = "level", .type = FieldType::Text, .choices = "info|debug", .is_open = true},
    SchemaField{"map", FieldType::TextMap},
    SchemaField{"list", FieldType::TextList},
    SchemaField{"one", FieldType::TextOrTextList},
    SchemaField{"part", FieldType::Section, kInner},
    SchemaField{"parts", FieldType::SectionList, kInner},
    SchemaField{"any"},
};

std::string schema_of(std::string_view name) {
    const Value whole = json_schema(kFields, UnknownKeys::Refused);
    return write_json(*whole.at({"properties", name}));
}

TEST(JsonSchema, SaysTypesAndTakesNull) {
    EXPECT_EQ(schema_of("a"), R"({"type":["string","null"]})");
    EXPECT_EQ(schema_of("b"), schema_of("a"));
    EXPECT_EQ(schema_of("any"), "{}");
    EXPECT_EQ(schema_of("map"),
              R"({"type":["object","null"],"additionalProperties":{"type":"string"}})");
    EXPECT_EQ(schema_of("list"), R"({"type":["array","null"],"items":{"type":"string"}})");
    EXPECT_EQ(schema_of("one"), R"({"type":["string","array","null"],"items":{"type":"string"}})");
}

TEST(JsonSchema, SaysFormsAndChoices) {
    EXPECT_EQ(schema_of("tag"), R"({"type":["string","null"],"description":"a tag"})");
    EXPECT_EQ(schema_of("mode"),
              R"({"type":["string","boolean","null"],"enum":["true",true,"noauth","",null]})");
    EXPECT_EQ(schema_of("level"),
              R"({"anyOf":[{"enum":["info","debug","",null]},{"type":["string","null"]}]})");
}

TEST(JsonSchema, DescendsIntoSections) {
    const std::string inner =
        R"({"type":["object","null"],"properties":{"size":{"type":["number","null"]}},)"
        R"("additionalProperties":false})";
    EXPECT_EQ(schema_of("part"), inner);
    EXPECT_EQ(schema_of("parts"), R"({"type":["array","null"],"items":)" + inner + "}");
}

TEST(JsonSchema, AllowsUnknownKeysWhereTheyAreOnlyWarnings) {
    const Value open = json_schema(kFields, UnknownKeys::Allowed);
    EXPECT_EQ(open.find("additionalProperties"), nullptr);
    EXPECT_EQ(open.at({"properties", "part", "additionalProperties"}), nullptr);
}

}  // namespace
}  // namespace renderer::repo
