#include "renderer/cli/diagnostic_formats.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::cli {
namespace {

// Has an error at a place, an error of a flag, and a warning about a file, with hostile text.
class DiagnosticFormats : public testing::Test {
protected:
    DiagnosticFormats() {
        const SourceId source = sources_.add("apps/a b,c:50%.yaml", "kind: é x\n");
        diagnostics_
            .error("invalid-tag", sources_.pos(source, 9), "invalid \"x\", 100%\n::error::y")
            .object("Service/shop/web")
            .found("first\n::error::second\x1b[2J")
            .expected("tags")
            .hint("a < b & c")
            .note({.pos = sources_.pos(source, 0), .object = {}, .text = "it is here"});
        diagnostics_.error("usage", {}, "no such cluster").where("--cluster");
        diagnostics_.warning("gone-cluster", {}, "left behind").where("rendered/home.yaml");
        shown_ = renderer::shown_diagnostics(diagnostics_, sources_);
    }

    std::string as(DiagnosticFormat format) const {
        return formatted_diagnostics(format, {"render", 1, shown_});
    }

    SourceMap sources_;
    Diagnostics diagnostics_;
    std::vector<ShownDiagnostic> shown_;
};

TEST_F(DiagnosticFormats, PlacesHaveLinesOfFilesOnly) {
    ASSERT_EQ(shown_.size(), 3U);
    EXPECT_EQ(shown_[0].place.name, "--cluster");
    EXPECT_EQ(shown_[0].place.file, "");
    EXPECT_EQ(shown_[1].place.file, "rendered/home.yaml");
    EXPECT_EQ(shown_[1].place.line, 0U);
    EXPECT_EQ(shown_[2].place.name, "apps/a b,c:50%.yaml:1:10");
    EXPECT_EQ(shown_[2].place.file, "apps/a b,c:50%.yaml");
    EXPECT_EQ(shown_[2].place.line, 1U);
    EXPECT_EQ(shown_[2].place.column, 10U);
    EXPECT_EQ(shown_[2].place.character, 9U);
}

TEST_F(DiagnosticFormats, JsonHasAllThatTheTextHas) {
    const Result<Value> read = read_json(as(DiagnosticFormat::Json));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->find("version")->as_int(), 1);
    EXPECT_EQ(read->find("report")->text(), "diagnostics");
    EXPECT_EQ(read->find("verb")->text(), "render");
    EXPECT_EQ(read->find("exitCode")->as_int(), 1);
    EXPECT_EQ(read->find("errors")->as_int(), 2);
    EXPECT_EQ(read->find("warnings")->as_int(), 1);
    ASSERT_EQ(read->find("diagnostics")->size(), 3U);
    EXPECT_EQ(write_json(read->find("diagnostics")->items()[0]),
              R"({"severity":"error","rule":"usage","place":"--cluster",)"
              R"("message":"no such cluster","notes":[],)"
              R"("cause":"flags that exclude each other, or a missing one",)"
              R"("remedy":"tailrender VERB --help"})");
    const Value& tag = read->find("diagnostics")->items()[2];
    EXPECT_EQ(tag.find("file")->text(), "apps/a b,c:50%.yaml");
    EXPECT_EQ(tag.find("column")->as_int(), 10);
    EXPECT_EQ(tag.find("object")->text(), "Service/shop/web");
    EXPECT_EQ(tag.find("message")->text(), "invalid \"x\", 100%\\n::error::y");
    EXPECT_EQ(tag.find("found")->text(), "first\n::error::second\\u001b[2J");
    EXPECT_EQ(tag.find("expected")->text(), "tags");
    EXPECT_EQ(tag.find("hint")->text(), "a < b & c");
    EXPECT_EQ(write_json(*tag.find("notes")),
              R"([{"place":"apps/a b,c:50%.yaml:1:1","file":"apps/a b,c:50%.yaml","line":1,)"
              R"("column":1,"text":"it is here"}])");
}

TEST_F(DiagnosticFormats, GithubGetsOneCommandForEach) {
    EXPECT_EQ(
        as(DiagnosticFormat::Github),
        "::error::--cluster: no such cluster [usage]\n"
        "::warning file=rendered/home.yaml::rendered/home.yaml: left behind [gone-cluster]\n"
        "::error file=apps/a b%2Cc%3A50%25.yaml,line=1,col=9::Service/shop/web: invalid "
        "\"x\", 100%25\\n::error::y [invalid-tag]%0Afound: first%0A\\u003a:error::second\\u001b[2J"
        "%0Aexpected: tags%0Ahint: a < b & c\n");
    EXPECT_EQ(formatted_diagnostics(DiagnosticFormat::Github, {"render", 0, {}}), "");
}

TEST_F(DiagnosticFormats, SarifTellsResultsFromNotifications) {
    const Result<Value> read = read_json(as(DiagnosticFormat::Sarif));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->find("version")->text(), "2.1.0");
    const Value& run = read->find("runs")->items()[0];
    const Value& driver = *run.at({"tool", "driver"});
    EXPECT_EQ(driver.find("version")->text(), TAILRENDER_VERSION);
    ASSERT_EQ(driver.find("rules")->size(), 3U);
    EXPECT_EQ(write_json(driver.find("rules")->items()[2]),
              R"({"id":"usage","shortDescription":{"text":"flags that exclude each other, or a )"
              R"(missing one"},"help":{"text":"tailrender VERB --help",)"
              R"("markdown":"`tailrender VERB --help`"}})");
    EXPECT_EQ(write_json(run.find("invocations")->items()[0]),
              R"({"executionSuccessful":false,"exitCode":1,"toolConfigurationNotifications":[)"
              R"({"level":"error","message":{"text":"--cluster: no such cluster"},)"
              R"("associatedRule":{"id":"usage","index":2}}]})");
    ASSERT_EQ(run.find("results")->size(), 2U);
    const Value& result = run.find("results")->items()[1];
    EXPECT_EQ(result.find("ruleIndex")->as_int(), 1);
    EXPECT_EQ(result.find("level")->text(), "error");
    EXPECT_EQ(write_json(*result.find("locations")),
              R"([{"physicalLocation":{"artifactLocation":{"uri":"apps/a%20b%2Cc%3A50%25.yaml",)"
              R"("uriBaseId":"%SRCROOT%"},"region":{"startLine":1,"startColumn":9}},)"
              R"("logicalLocations":[{"fullyQualifiedName":"Service/shop/web",)"
              R"("kind":"resource"}]}])");
    EXPECT_EQ(result.find("relatedLocations")->items()[0].at({"message", "text"})->text(),
              "it is here");
}

TEST_F(DiagnosticFormats, GitlabHasFingerprintsThatDoNotMove) {
    const auto fingerprints = [](const std::vector<ShownDiagnostic>& shown) {
        std::vector<std::string> found;
        const Result<Value> read =
            read_json(formatted_diagnostics(DiagnosticFormat::Gitlab, {"render", 1, shown}));
        for (const Value& one : read->items()) {
            found.emplace_back(one.find("fingerprint")->text());
        }
        return found;
    };
    const std::vector<std::string> first = fingerprints(shown_);
    std::vector<ShownDiagnostic> moved = shown_;
    moved[2].place.line = 7;
    EXPECT_EQ(fingerprints(moved), first);
    moved.push_back(moved[2]);
    EXPECT_EQ(fingerprints(moved).size(), 4U);
    EXPECT_NE(fingerprints(moved)[3], first[2]);
    const Result<Value> read = read_json(as(DiagnosticFormat::Gitlab));
    const Value& one = read->items()[0];
    EXPECT_EQ(one.find("check_name")->text(), "usage");
    EXPECT_EQ(one.find("severity")->text(), "major");
    EXPECT_EQ(write_json(*one.find("location")), R"({"path":"--cluster","lines":{"begin":1}})");
    EXPECT_EQ(read->items()[1].find("severity")->text(), "minor");
    EXPECT_EQ(formatted_diagnostics(DiagnosticFormat::Gitlab, {"render", 0, {}}), "[]\n");
}

TEST_F(DiagnosticFormats, JunitHasATestForEach) {
    EXPECT_EQ(
        as(DiagnosticFormat::Junit),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n"
        "  <testsuite name=\"tailrender render\" tests=\"3\" failures=\"2\" errors=\"0\" "
        "skipped=\"1\">\n"
        "    <testcase classname=\"--cluster\" name=\"no such cluster [usage]\">\n"
        "      <failure type=\"usage\" message=\"--cluster: no such cluster "
        "[usage]\">--cluster: error: no such cluster [usage]</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"rendered/home.yaml\" name=\"left behind [gone-cluster]\">\n"
        "      <skipped message=\"warning: rendered/home.yaml: left behind [gone-cluster]\"/>\n"
        "    </testcase>\n"
        "    <testcase classname=\"apps/a b,c:50%.yaml\" name=\"Service/shop/web: invalid "
        "&quot;x&quot;, 100%\\n::error::y [invalid-tag]\">\n"
        "      <failure type=\"invalid-tag\" message=\"apps/a b,c:50%.yaml:1:10: Service/shop/web: "
        "invalid &quot;x&quot;, 100%\\n::error::y [invalid-tag]\">apps/a b,c:50%.yaml:1:10: error: "
        "Service/shop/web: invalid &quot;x&quot;, 100%\\n::error::y [invalid-tag]&#10;"
        "    1 | kind: é x&#10;      |         ^&#10;  found: first&#10;    "
        "::error::second\\u001b[2J&#10;  expected: tags&#10;  hint: a &lt; b &amp; c&#10;"
        "apps/a b,c:50%.yaml:1:1: note: it is here</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
    EXPECT_EQ(formatted_diagnostics(DiagnosticFormat::Junit, {"lint", 0, {}}),
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<testsuites>\n"
              "  <testsuite name=\"tailrender lint\" tests=\"1\" failures=\"0\" errors=\"0\" "
              "skipped=\"0\">\n"
              "    <testcase classname=\"tailrender lint\" name=\"no diagnostics\"/>\n"
              "  </testsuite>\n"
              "</testsuites>\n");
}

TEST(JunitDiagnostics, HaveNoCharacterThatXmlLacks) {
    Diagnostics diagnostics;
    diagnostics.error("r", {}, "a\xEF\xBF\xBE\xEF\xBF\xBF\x01\xFF").where("--flag");
    const std::vector<ShownDiagnostic> shown = shown_diagnostics(diagnostics, SourceMap());
    EXPECT_NE(junit_diagnostics({"render", 1, shown}).find("name=\"a??\\u0001? [r]\""),
              std::string::npos);
}

TEST(DiagnosticTargets, AreAFormatAndPerhapsAFile) {
    EXPECT_EQ(parse_target("json")->format, DiagnosticFormat::Json);
    EXPECT_EQ(parse_target("json")->file, "");
    EXPECT_EQ(parse_target("sarif=a=b.sarif")->format, DiagnosticFormat::Sarif);
    EXPECT_EQ(parse_target("sarif=a=b.sarif")->file, "a=b.sarif");
    for (const char* wrong : {"", "=", "=x", "yaml", "json=", "JSON", "json "}) {
        EXPECT_FALSE(parse_target(wrong)) << wrong;
    }
    EXPECT_EQ(format_words(), "text|json|sarif|github|gitlab|junit");
}

}  // namespace
}  // namespace renderer::cli
