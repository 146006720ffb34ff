#include "renderer/engines/argo/set_template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::engines {
namespace {

std::string filled_in(std::string_view spec, std::string_view text, std::string_view parameters) {
    Value set = Value::map();
    set.put("spec", std::move(*read_json(spec)));
    const Value data = std::move(*read_json(parameters));
    std::string failure;
    return SetTemplate(set).fill(text, data, failure).value_or("failed: " + failure);
}

TEST(SetTemplate, ReplacesParameters) {
    constexpr std::string_view kData = R"({"a": "x", "path[0]": "y"})";
    EXPECT_EQ(filled_in("{}", "{{a}}-{{ \tpath[0] }}-{{ b }}-{{}}", kData), "x-y-{{ b }}-{{}}");
    EXPECT_EQ(filled_in("{}", "}}a{{", kData), "}}a{{");
    EXPECT_EQ(filled_in("{}", "{{\na}}", kData), "{{\na}}");  // both must be in one line
    EXPECT_EQ(filled_in("{}", "{{\na}}{{a}}", kData), "xx");
    EXPECT_EQ(filled_in("{}", "{{a}}{{", kData), "failed: {{a}}{{: a parameter that does not end");
}

TEST(SetTemplate, TakesOptions) {
    const auto with = [](std::string_view options) {
        return filled_in(
            fmt::format(R"({{"goTemplate": true, "goTemplateOptions": [{}]}})", options),
            "{{ .a }}", "{}");
    };
    EXPECT_EQ(with(""), "<no value>");
    EXPECT_EQ(with(R"("missingkey=default")"), "<no value>");
    EXPECT_TRUE(with(R"("missingkey=error")").starts_with("failed: "));
    EXPECT_EQ(with(R"("missingkey=error", "missingkey=invalid")"), "<no value>");
    EXPECT_EQ(with(R"("missingkey=zero")"), "failed: {{ .a }}: the option missingkey=zero");
}

// The Go type of a map, and of a list of strings, depends on the generators of the set.
TEST(SetTemplate, KnowsWhatMakesItsParameters) {
    const auto with = [](std::string_view generators) {
        return filled_in(fmt::format(R"({{"goTemplate": true, "generators": {}}})", generators),
                         "{{ hasKey .values \"a\" }}", R"({"values": {"a": "b"}})");
    };
    EXPECT_EQ(with(R"([{"list": {"elements": []}}])"), "true");
    EXPECT_EQ(with(R"([{"clusters": {}}])"), "true");
    for (const std::string_view generators :
         {R"([{"clusters": {"values": {"a": "b"}}}])",
          R"([{"matrix": {"generators": [{"list": {}}, {"git": {"values": {"a": "b"}}}]}}])"}) {
        EXPECT_TRUE(with(generators).starts_with("failed: ")) << generators;
    }
}

TEST(SetTemplate, FlattensAsGoPrints) {
    const Value flat = flattened(
        *read_json(R"({"a": {"b": [1.0, 1000000, "x"]}, "c": null, "d": {}, "e": [], "f": true})"));
    Value expected = Value::map({{"a.b.0", "1"},
                                 {"a.b.1", "1e+06"},
                                 {"a.b.2", "x"},
                                 {"c", "<nil>"},
                                 {"d", "map[]"},
                                 {"e", "[]"},
                                 {"f", "true"}});
    EXPECT_EQ(write_json(flat), write_json(expected));
}

TEST(SetTemplate, FillsTextsAndKeys) {
    const Value set = Value::map();
    const Value shape = std::move(*read_json(R"({"{{a}}": ["{{a}}", 1, true]})"));
    std::string failure;
    const auto filled = SetTemplate(set).filled(shape, *read_json(R"({"a": "x"})"), failure);
    EXPECT_EQ(write_json(*filled), R"({"x":["x",1,true]})");
    EXPECT_EQ(write_json(*SetTemplate(set).filled(shape, Value::map(), failure)),
              R"({"{{a}}":["{{a}}",1,true]})");
}

}  // namespace
}  // namespace renderer::engines
