#include "renderer/engines/flux/substitute.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"

namespace renderer::engines {

namespace {

UnitVariables some_variables() {
    return {{{"A", "abcABC123ABCabc"},
             {"FILE", "bash.string.txt"},
             {"PATH_NAME", "/path/to/file"},
             {"EMPTY", ""},
             {"N", "1"},
             {"B", "b"}}};
}

// Returns the result or "error: …", and after " ?" the names without a value.
std::string outcome(std::string_view text) {
    std::vector<std::string> unset, assumed;
    Result<std::string> result = substitute(text, some_variables(), unset, assumed);
    std::string shown = result ? *result : "error: " + result.error().diagnostic.message;
    for (const std::string& name : unset) {
        shown += " ?" + name;
    }
    return shown;
}

struct SubstituteRow {
    std::string_view text, want;
};

TEST(SubstituteTest, EqualsTheControllersExpressions) {
    for (const SubstituteRow& row : std::vector<SubstituteRow>{
             {"$A $(A)", "$A $(A)"},
             {"a$$b $$A", "a$b $A"},
             {"$${A} $$$${A}", "${A} $${A}"},
             {"$$${N}", "$1"},
             {"${N}-${B}", "1-b"},
             {"${NONE}", "${NONE} ?NONE"},
             {"${NONE:-x}${NONE:=x}${NONE=x}${NONE:+x}${NONE:?x}", "xxxxx"},
             {"${EMPTY:-x}${N:-x}${N:+x}", "x11"},
             {"${NONE:-${B}} ${NONE:-$B} ${NONE:=p${B}-s}", "b $B pb-s"},
             {"${NONE:=}", ""},
             {"${#A}", "15"},
             {"${A^}${B^^}", "AbcABC123ABCabcB"},
             {"${A,,}", "abcabc123abcabc"},
             {"${A:1:2} ${A:12} ${A:99} ${A:x} ${A: -1}",
              "bc abc  abcABC123ABCabc abcABC123ABCabc"},
             {"${A:1:-12}", "bc"},
             {"${A:9223372036854775807:9}${A:1:9223372036854775807}${A:-9223372036854775808}",
              "bcABC123ABCabcabcABC123ABCabc"},
             {"${A:1:-9223372036854775808}", ""},
             {"${A/ABC/-}|${A//ABC/-}|${A/#abc/-}|${A/%abc/-}",
              "abc-123ABCabc|abc-123-abc|-ABC123ABCabc|abcABC123ABC-"},
             {"${A/ABC/}", "abc123ABCabc"},
             {R"(${PATH_NAME//\//-})", "-path-to-file"},
             {"${FILE#*.} ${FILE##*.} ${FILE%.*} ${FILE%%.*}", "string.txt txt bash.string bash"},
             {"${PATH_NAME##*/}", "file"},
             {"${FILE%[xy]}", "bash.string.txt"},
             {"${FILE%[a-t]}", "bash.string.txt"},
             {"${FILE#[a-c]}", "ash.string.txt"},
             {"${FILE%?xt}", "bash.string."},
             {"${A,^}", "abcABC123ABCabc"},
             {"${A/a//}", "bcABC123ABCabc"},
         }) {
        EXPECT_EQ(outcome(row.text), row.want) << row.text;
    }
}

TEST(SubstituteTest, SaysWhatCannotBeParsed) {
    for (const SubstituteRow& row : std::vector<SubstituteRow>{
             {"${A-x}", "error: missing closing brace"},
             {"${A.B}", "error: missing closing brace"},
             {"${a[@]}", "error: missing closing brace"},
             {"${A", "error: missing closing brace"},
             {"${}", "error: unable to parse variable name"},
             {"${ A }", "error: unable to parse variable name"},
             {"${!A}", "error: unable to parse variable name"},
             {"${A:-x", "error: unable to parse substitution within function"},
             {"${A#}", "error: unable to parse substitution within function"},
             {"${A/x}", "error: bad substitution"},
             {"${#}", "error: bad substitution"},
             {"${A//}", "error: bad substitution"},
             {"${A:::2}", "error: unable to parse substitution within function"},
         }) {
        EXPECT_EQ(outcome(row.text), row.want) << row.text;
    }
}

TEST(SubstituteTest, EndsOnDeepNesting) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) {
        text += "${A:-";
    }
    EXPECT_EQ(outcome(text), "error: bad substitution");
}

std::string object_outcome(std::string_view yaml) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("in.yaml", std::string(yaml));
    Value object = read_yaml(sources, source, diagnostics);
    substitute_object(object, some_variables(), true, false, diagnostics);
    std::string shown;
    write_yaml(object, shown);
    return shown + diagnostics.print(sources, false);
}

TEST(SubstituteTest, ReadsWhatWasPlainAgain) {
    EXPECT_EQ(
        object_outcome("apiVersion: v1\nkind: X\nmetadata:\n  name: n-${N}\n  annotations:\n"
                       "    ${B}: \"${N}\"\n    c: ${EMPTY}\n    d: ${NONE}\n    e: \"${N}: x\"\n"
                       "    f: |\n      ${N}\n"),
        "apiVersion: v1\nkind: X\nmetadata:\n  name: n-1\n  annotations:\n    b: 1\n"
        "    c: null\n    d: \"${NONE}\"\n    e: \"1: x\"\n    f: |\n      1\n");
}

TEST(SubstituteTest, RefusesMoreThanAnApiServerTakes) {
    UnitVariables variables;
    variables.values["BIG"] = std::string(100'000, 'a');
    std::vector<std::string> unset, assumed;
    std::string text, list = "apiVersion: v1\nkind: X\ndata:\n";
    for (int i = 0; i < 100; ++i) {
        text += "${BIG}";
        list += "- ${BIG}\n";
    }
    for (const std::string& one :
         {text, std::string("${BIG//a/${BIG}}"), "${NONE:-" + text + "}"}) {
        Result<std::string> result = substitute(one, variables, unset, assumed);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().diagnostic.message,
                  "the values of its variables make it too long");
    }
    SourceMap sources;
    Diagnostics diagnostics;
    Value object = read_yaml(sources, sources.add("in.yaml", list), diagnostics);
    substitute_object(object, variables, true, false, diagnostics);
    EXPECT_EQ(diagnostics.print(sources, false),
              "in.yaml:35:3: error: the values of its variables make it too long "
              "[invalid-substitution]\n"
              "   35 | - ${BIG}\n      |   ^\n"
              "  found: \"${BIG}\"\n"
              "  expected: at most 3 MiB for an object, as in the API server\n");
}

TEST(SubstituteTest, LeavesObjectsThatSaySo) {
    for (const std::string field : {"labels", "annotations"}) {
        const std::string text = "apiVersion: v1\nkind: X\nmetadata:\n  name: \"${N}\"\n  " +
                                 field +
                                 ":\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n";
        EXPECT_EQ(object_outcome(text), text);
    }
}

TEST(SubstituteTest, NamesTheLineOfAnExpressionThatCannotBeParsed) {
    const std::string shown = object_outcome("apiVersion: v1\nkind: X\ndata:\n  run: ${A-x}\n");
    EXPECT_NE(shown.find("in.yaml:4:8: error: missing closing brace [invalid-substitution]"),
              std::string::npos)
        << shown;
}

}  // namespace

}  // namespace renderer::engines
