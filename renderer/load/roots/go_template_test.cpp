#include "renderer/load/roots/go_template.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer {
namespace {

// What comes out, or why nothing does.
std::string render(std::string_view text, std::string_view json, bool strict = false) {
    const Value data = std::move(*read_json(json));
    std::string failure;
    return render_go_template(text, data, strict, failure).value_or("failed: " + failure);
}

constexpr std::string_view kPath =
    R"({"path": {"path": "apps/home/web", "basename": "web", "segments": ["apps", "home", "web"]}})";

TEST(GoTemplate, NamesKeysOfItsData) {
    EXPECT_EQ(render("{{.path.path}}", kPath), "apps/home/web");
    EXPECT_EQ(render("x-{{ index .path.segments 1 }}-{{ .path.basename }}", kPath), "x-home-web");
    EXPECT_EQ(render("no action", kPath), "no action");
    EXPECT_EQ(render("{{ .absent }}", kPath), "<no value>");
    EXPECT_EQ(render("{{ .absent }}", kPath, true), "failed: no \"absent\" in \".absent\"");
    EXPECT_EQ(render("{{ .path.path.x }}", kPath), "failed: no \"x\" in \".path.path.x\"");
    EXPECT_EQ(render("{{ .path }}", kPath), "failed: a list or a map as a text");
}

TEST(GoTemplate, ChoosesByWhatIsThere) {
    constexpr std::string_view kText =
        R"({{- if index . "namespace" -}}{{ .namespace | normalize }}{{- else }}{{ .name | normalize }}{{ end }})";
    EXPECT_EQ(render(kText, R"({"namespace": "Media_1", "name": "x"})", true), "media-1");
    EXPECT_EQ(render(kText, R"({"name": "x"})", true), "x");
    EXPECT_EQ(
        render(R"({{if eq .n "a" "b"}}1{{else if eq .n "c"}}2{{else}}3{{end}})", R"({"n": "b"})"),
        "1");
    EXPECT_EQ(
        render(R"({{if eq .n "a" "b"}}1{{else if eq .n "c"}}2{{else}}3{{end}})", R"({"n": "c"})"),
        "2");
    EXPECT_EQ(
        render(R"({{if eq .n "a" "b"}}1{{else if eq .n "c"}}2{{else}}3{{end}})", R"({"n": "d"})"),
        "3");
    EXPECT_EQ(render(R"({{ if and (hasKey . "x") .x }}y{{ end }})", "{}", true), "");
    EXPECT_EQ(render(R"({{ if ne .autoSync false }}y{{ end }})", "{}"), "y");
}

TEST(GoTemplate, CallsFunctions) {
    EXPECT_EQ(render(R"({{dig "path" "charts" .}}/{{dig "chart" .name .}})", R"({"name": "web"})"),
              "charts/web");
    EXPECT_EQ(render(R"({{ eq (dig "useOverlay" "false" . | toString) "true" }})",
                     R"({"useOverlay": true})"),
              "true");
    EXPECT_EQ(render(R"({{ .wave | default "1" }})", "{}"), "1");
    EXPECT_EQ(render(R"({{ printf "%s-%s" .a .b }})", R"({"a": "x", "b": "y"})"), "x-y");
    EXPECT_EQ(render(R"({{ (index .list 0).name }})", R"({"list": [{"name": "x"}]})"), "x");
    EXPECT_EQ(render(R"(a: {{ .m | toYaml | nindent 2 }})", R"({"m": {"b": 1, "c": "x"}})"),
              "a: \n  b: 1\n  c: x");
    EXPECT_EQ(render(R"({{ join "-" (splitList "/" .p) }})", R"({"p": "a/b"})"), "a-b");
    EXPECT_EQ(render(R"({{ regexFind "a" .p }})", "{}"),
              "failed: regexFind: no such function here");
    EXPECT_EQ(render(R"({{ trimSuffix ".yaml" "x.yaml" | replace "x" "y" | trunc 3 }})", "{}"),
              "y");
}

TEST(GoTemplate, RepeatsAndRemembers) {
    EXPECT_EQ(render("{{ range .l }}[{{ . }}]{{ else }}none{{ end }}", R"({"l": ["a", "b"]})"),
              "[a][b]");
    EXPECT_EQ(render("{{ range .l }}[{{ . }}]{{ else }}none{{ end }}", R"({"l": []})"), "none");
    EXPECT_EQ(render("{{ range $i, $x := .l }}{{ $i }}{{ $x.n }}{{ $.s }}{{ end }}",
                     R"({"l": [{"n": "a"}, {"n": "b"}], "s": "!"})"),
              "0a!1b!");
    EXPECT_EQ(
        render("{{ range $k, $v := .m }}{{ $k }}={{ $v }} {{ end }}", R"({"m": {"b": 1, "a": 2}})"),
        "a=2 b=1 ");
    EXPECT_EQ(render(R"({{ $x := "a" }}{{ if true }}{{ $x = "b" }}{{ end }}{{ $x }})", "{}"), "b");
    EXPECT_EQ(render("{{ with .a }}{{ .b }}{{ end }}{{/* nothing */}}", R"({"a": {"b": "c"}})"),
              "c");
    EXPECT_EQ(render("a {{- /* trims */ -}} b", "{}"), "ab");
}

// What Go prints with sprig 3.3.0.
TEST(GoTemplate, PrintsWhatGoPrints) {
    EXPECT_EQ(render(R"({{ print 1 2 "a" 3 }}|{{ println 1 "a" }})", "{}"), "1 2a3|1 a\n");
    EXPECT_EQ(render(R"({{ first .l }}{{ last .l }}{{ join "," .l }}{{ has "a" .l }})",
                     R"({"l": ["a", "b"]})"),
              "aba,btrue");
    EXPECT_EQ(
        render(R"({{ get . "x" }}|{{ ternary "a" "b" true }}|{{ coalesce .x "c" }}|{{ empty "" }})",
               "{}"),
        "|a|c|true");
    EXPECT_EQ(render(R"({{ or .x "d" }}{{ and .x "d" }}{{ not .x }}{{ len "abc" }})", "{}"),
              "d<no value>true3");
    EXPECT_EQ(
        render(R"({{ trimAll "/" "/a/" }}{{ "a b" | quote }}{{ contains "a" "cat" }}{{ lt 1 2 }})",
               "{}"),
        "a\"a b\"truetrue");
    EXPECT_EQ(
        render(R"({{ trunc -2 "abcd" }}{{ lower "AB" }}{{ splitList "/" "a/b" | last }})", "{}"),
        "cdabb");
    EXPECT_EQ(
        render(R"({{ default "x" 0 }}{{ default "x" false }}{{ default "x" .l }})", R"({"l": []})"),
        "xxx");
}

TEST(GoTemplate, RefusesWhatDoesNotEnd) {
    EXPECT_EQ(render("{{ .a", "{}"), "failed: a \"{{\" without \"}}\"");
    EXPECT_EQ(render("{{ if .a }}x", "{}"), "failed: a block in a template does not end");
    EXPECT_EQ(render("x{{ end }}", "{}"), "failed: \"end\" without a beginning");
    EXPECT_EQ(render("{{ (print 1 }}", "{}"), "failed: a \"(\" without \")\"");
    EXPECT_EQ(render("{{ \"a }}", "{}"), "failed: a \"{{\" without \"}}\"");
    EXPECT_EQ(render("{{ template \"x\" }}", "{}"), "failed: \"template\" in a template");
    std::string doubling = R"({{ $x := "0123456789" }})";
    for (int i = 0; i < 40; ++i) {
        doubling += "{{ $x = print $x $x }}";
    }
    EXPECT_EQ(render(doubling, "{}"), "failed: print: too long");
    std::string deep;
    for (int i = 0; i < 200; ++i) {
        deep += "{{ if true }}";
    }
    EXPECT_EQ(render(deep, "{}"), "failed: too many blocks within each other");
}

}  // namespace
}  // namespace renderer
