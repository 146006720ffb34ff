#include "renderer/engines/templates/go_template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::engines {
namespace {

// Returns the output, or the reason why there is none.
std::string render(std::string_view text, std::string_view json = "{}", bool strict = false) {
    const Value data = std::move(*read_json(json));
    std::string failure;
    return render_go_template(text, data, strict, failure).value_or("failed: " + failure);
}

bool fails(std::string_view text, std::string_view json = "{}", bool strict = false) {
    return render(text, json, strict).starts_with("failed: ");
}

// Renders with parameters whose types depend on the generator.
std::string render_typed(std::string_view text, std::string_view json) {
    const Value data = std::move(*read_json(json));
    std::string failure;
    return render_go_template(text, data, false, failure, {},
                              {.clusters = true, .paths = true, .values = true})
        .value_or("failed: " + failure);
}

constexpr std::string_view kPath =
    R"({"path": {"path": "apps/home/web", "basename": "web", "segments": ["apps", "home", "web"]}})";

TEST(GoTemplate, NamesKeysOfItsData) {
    EXPECT_EQ(render("{{.path.path}}", kPath), "apps/home/web");
    EXPECT_EQ(render("x-{{ index .path.segments 1 }}-{{ .path.basename }}", kPath), "x-home-web");
    EXPECT_EQ(render("no action", kPath), "no action");
    EXPECT_EQ(render("{{ .absent }}", kPath), "<no value>");
    EXPECT_EQ(render("{{ .absent.b }}", kPath), "<no value>");
    EXPECT_EQ(render("{{ .absent }}", kPath, true),
              "failed: there is no \"absent\" in \".absent\"");
    EXPECT_EQ(render("{{ .path.path.x }}", kPath), "failed: there is no \"x\" in \".path.path.x\"");
    EXPECT_EQ(render("{{ .path.segments }}{{ .path.absent }}", kPath), "[apps home web]<no value>");
    EXPECT_EQ(render("{{ . }}", R"({"b": [1, null], "a": {"c": true}})"),
              "map[a:map[c:true] b:[1 <nil>]]");
    EXPECT_EQ(render("{{ (index .list 0).name }}", R"({"list": [{"name": "x"}]})"), "x");
    EXPECT_TRUE(fails("{{ .n.a }}", R"({"n": null})"));
    EXPECT_EQ(render("{{ (.n).a }}", R"({"n": null})"), "<no value>");
    EXPECT_TRUE(fails("{{ .a 1 }}", R"({"a": "x"})"));
}

TEST(GoTemplate, ChoosesByWhatIsThere) {
    constexpr std::string_view kText =
        R"({{- if index . "namespace" -}}{{ .namespace | normalize }}{{- else }}{{ .name | normalize }}{{ end }})";
    EXPECT_EQ(render(kText, R"({"namespace": "Media_1", "name": "x"})", true), "media-1");
    EXPECT_EQ(render(kText, R"({"name": "x"})", true), "x");
    constexpr std::string_view kChain =
        R"({{if eq .n "a" "b"}}1{{else if eq .n "c"}}2{{else}}3{{end}})";
    EXPECT_EQ(render(kChain, R"({"n": "b"})"), "1");
    EXPECT_EQ(render(kChain, R"({"n": "c"})"), "2");
    EXPECT_EQ(render(kChain, R"({"n": "d"})"), "3");
    EXPECT_EQ(render(R"({{ if and (hasKey . "x") .x }}y{{ end }})", "{}", true), "");
    EXPECT_EQ(render(R"({{ if ne .autoSync false }}y{{ end }})"), "y");
    EXPECT_EQ(render("{{ with .a }}{{ .b }}{{ else with .c }}{{ . }}{{ end }}", R"({"c": "x"})"),
              "x");
}

TEST(GoTemplate, KnowsWhatIsTrue) {
    for (const std::string_view value : {"0", "0.0", "\"\"", "false", "null", "[]", "{}", "-0.0"}) {
        EXPECT_EQ(render("{{ if .a }}y{{ else }}n{{ end }}", fmt::format("{{\"a\": {}}}", value)),
                  "n")
            << value;
    }
    for (const std::string_view value : {"1", "0.1", "\"0\"", "\"false\"", "true", "[0]"}) {
        EXPECT_EQ(render("{{ if .a }}y{{ else }}n{{ end }}", fmt::format("{{\"a\": {}}}", value)),
                  "y")
            << value;
    }
    EXPECT_EQ(render("{{ if 0.0 }}y{{ else }}n{{ end }}{{ if 0x0 }}y{{ end }}"), "n");
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
    EXPECT_EQ(render("{{ range 3 }}{{ . }}{{ end }}{{ range $i := until 2 }}{{ $i }}{{ end }}"),
              "01201");
    EXPECT_EQ(render("{{ range .l }}{{ if eq . \"b\" }}{{ continue }}{{ end }}{{ if eq . \"d\" }}"
                     "{{ break }}{{ end }}{{ . }}{{ end }}",
                     R"({"l": ["a", "b", "c", "d", "e"]})"),
              "ac");
    EXPECT_EQ(render(R"({{ $x := "a" }}{{ if true }}{{ $x = "b" }}{{ end }}{{ $x }})"), "b");
    EXPECT_EQ(render(R"({{ $x := "a" }}{{ if true }}{{ $x := "b" }}{{ end }}{{ $x }})"), "a");
    EXPECT_EQ(render("{{ ($x := 1) }}{{ $x }}"), "11");
    EXPECT_EQ(render("{{ with .a }}{{ .b }}{{ end }}{{/* nothing */}}", R"({"a": {"b": "c"}})"),
              "c");
    EXPECT_TRUE(fails("{{ $x = 1 }}"));
    EXPECT_TRUE(fails("{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}"));
    EXPECT_TRUE(fails("{{ range .n }}{{ end }}", R"({"n": 3})"));
    EXPECT_TRUE(fails("{{ range .l }}{{ else }}{{ break }}{{ end }}", R"({"l": []})"));
}

TEST(GoTemplate, TakesItsTextApart) {
    EXPECT_EQ(render("a {{- /* trims */ -}} b"), "ab");
    EXPECT_EQ(render("a\n {{- 1 -}} \n b{{ 2 }} c"), "a1b2 c");
    EXPECT_EQ(render("{{ `a\"\\n` }}{{ \"\\x41\\u00e9\\101\\\"\" }}{{ 'a' }}"), "a\"\\nAéA\"97");
    EXPECT_EQ(render("{{ 0x10 }} {{ 010 }} {{ 1_000 }} {{ 0b11 }} {{ +4 }} {{ .5 }} {{ 1e3 }}"),
              "16 8 1000 3 4 0.5 1000");
    EXPECT_EQ(render("{{ \"}}\" }}{{ \"{{\" }}"), "}}{{");
    EXPECT_EQ(render("{{ \"x\" | print | len }}{{if.a}}{{end}}"), "1");
    for (const std::string_view text : {"{{ /* a */ }}",
                                        "{{/* a */  -}}",
                                        "{{}}",
                                        "{{- -}}",
                                        "{{ 08 }}",
                                        "{{ 1e }}",
                                        "{{ (1)(2) }}",
                                        "{{ \"a\"\"b\" }}",
                                        "{{ true.x }}",
                                        "{{ nil }}",
                                        "{{ 1 | 2 }}",
                                        "{{ | . }}",
                                        "{{ 1 2 }}",
                                        "{{ \"\\q\" }}",
                                        "{{ 'ab' }}",
                                        "{{ if }}{{ end }}",
                                        "{{ print 1,2 }}",
                                        "{{ $x }}",
                                        "{{ 99999999999999999999 }}",
                                        "{{ end.x }}",
                                        "{{ .a-b }}",
                                        "{{ break }}",
                                        "{{{ .a }}"}) {
        EXPECT_TRUE(fails(text)) << text;
    }
}

// A function that does not exist makes a template fail. One that is only not implemented here does
// so when it is called.
TEST(GoTemplate, AsksForFunctionsThatItCalls) {
    EXPECT_EQ(render("{{ if false }}{{ now }}{{ end }}x"), "x");
    EXPECT_EQ(render("{{ if false }}{{ tpl \"a\" . }}{{ end }}x"), "x");
    EXPECT_EQ(render("{{ now }}"), "failed: now: no such function here");
    EXPECT_EQ(render("{{ if false }}{{ noSuchFunction }}{{ end }}x"),
              "failed: there is no function noSuchFunction");
    for (const std::string_view name :
         {"env", "expandenv", "getHostByName", "lookup", "include", "required"}) {
        EXPECT_TRUE(fails(fmt::format("{{{{ if false }}}}{{{{ {} }}}}{{{{ end }}}}", name)));
    }
    for (const std::string_view name : {"uuidv4", "randAlpha 3", "semver \"1\"", "date \"a\" 1",
                                        "genCA \"a\" 1", "shuffle \"a\"", "tpl \"a\" ."}) {
        EXPECT_TRUE(fails(fmt::format("{{{{ {} }}}}", name))) << name;
    }
    EXPECT_EQ(render("{{ or \"a\" (now) }}{{ and \"\" (now) }}{{ or 0 \"b\" }}"), "ab");
    EXPECT_TRUE(fails("{{ or }}"));
}

// The labels of a cluster are a map of strings, those of a document a map of any values.
TEST(GoTemplate, LeavesOpenWhatDependsOnTypes) {
    constexpr std::string_view kCluster =
        R"({"metadata": {"labels": {"env": "prod"}}, "values": {"a": "b"},
            "path": {"segments": ["b", "a"]}, "clusters": [{"values": {"a": "b"}}]})";
    const auto made = [&](std::string_view text) { return render_typed(text, kCluster); };
    EXPECT_EQ(made("{{ .metadata.labels.env }}{{ index .metadata.labels \"env\" }}"), "prodprod");
    EXPECT_EQ(made("{{ range $k, $v := .values }}{{ $k }}{{ $v }}{{ end }}"), "ab");
    EXPECT_EQ(made("{{ if index .metadata.labels \"team\" }}y{{ else }}n{{ end }}"), "n");
    EXPECT_EQ(made("{{ index .metadata.labels \"team\" | default \"none\" }}"), "none");
    EXPECT_EQ(made("{{ eq (index .metadata.labels \"team\") \"a\" }}"), "false");
    EXPECT_EQ(made("{{ join \"-\" .path.segments }}{{ has \"a\" .path.segments }}"), "b-atrue");
    EXPECT_EQ(made("{{ (index .clusters 0).values.a }}"), "b");
    for (const std::string_view text :
         {"{{ index .metadata.labels \"team\" }}", "{{ hasKey .values \"a\" }}",
          "{{ dig \"labels\" \"env\" \"\" .metadata }}", "{{ .path.segments | sortAlpha }}",
          "{{ typeOf .values }}", "{{ eq (index .values \"x\") \"\" }}",
          "{{ has .values (list .values) }}"}) {
        EXPECT_TRUE(made(text).starts_with("failed: ")) << text;
    }
    EXPECT_EQ(render("{{ hasKey .values \"a\" }}{{ typeOf .values }}", kCluster),
              "truemap[string]interface {}");
}

// Other templates also read the parameters.
TEST(GoTemplate, ChangesNoParameters) {
    constexpr std::string_view kData = R"({"m": {"a": "x"}})";
    EXPECT_TRUE(fails("{{ $x := set .m \"b\" 1 }}", kData));
    EXPECT_TRUE(fails("{{ $x := unset .m \"a\" }}", kData));
    EXPECT_TRUE(fails("{{ $x := merge .m (dict \"b\" 1) }}", kData));
    EXPECT_EQ(render("{{ $x := deepCopy .m }}{{ $_ := set $x \"b\" 1 }}{{ $x }}{{ .m }}", kData),
              "map[a:x b:1]map[a:x]");
    EXPECT_EQ(render("{{ unset .m \"b\" }}{{ merge .m (dict \"a\" 1) }}", kData),
              "map[a:x]map[a:x]");
}

TEST(GoTemplate, IsBounded) {
    EXPECT_EQ(render("{{ .a"), "failed: an action does not end with \"}}\"");
    EXPECT_EQ(render("{{ if .a }}x"), "failed: a block in a template does not end");
    EXPECT_EQ(render("x{{ end }}"), "failed: \"end\" has no beginning");
    EXPECT_EQ(render("{{ (print 1 }}"), "failed: a \"(\" is not closed");
    EXPECT_EQ(render("{{ \"a }}"), "failed: a text in a template does not end");
    EXPECT_EQ(render("{{ template \"x\" }}"), "failed: \"template\" in a template");
    std::string doubling = R"({{ $x := "0123456789" }})";
    for (int i = 0; i < 40; ++i) {
        doubling += "{{ $x = print $x $x }}";
    }
    EXPECT_EQ(render(doubling), "failed: print: its result is too long");
    std::string nested = "{{ $x := list 1 }}";
    for (int i = 0; i < 40; ++i) {
        nested += "{{ $x = list $x $x }}";
    }
    EXPECT_TRUE(fails(nested + "{{ $x }}"));
    EXPECT_TRUE(fails(nested + "{{ toJson $x }}"));
    EXPECT_TRUE(fails(nested + "{{ deepEqual $x (deepCopy $x) }}"));
    EXPECT_TRUE(fails("{{ $x := dict }}{{ $_ := set $x \"a\" $x }}{{ $x }}"));
    EXPECT_TRUE(fails("{{ $x := dict }}{{ $_ := set $x \"a\" $x }}{{ toYaml $x }}"));
    EXPECT_TRUE(fails("{{ $x := dict }}{{ $_ := set $x \"a\" $x }}{{ merge $x (dict \"a\" $x) }}"));
    EXPECT_TRUE(fails("{{ range 1000000000 }}{{ end }}"));
    EXPECT_TRUE(fails("{{ until 1000000000 }}{{ repeat 1000000000 \"a\" }}"));
    EXPECT_TRUE(fails("{{ $x := list \"a\" }}{{ range 1000 }}{{ $x = concat $x $x }}{{ end }}"));
    std::string deep;
    for (int i = 0; i < 200; ++i) {
        deep += "{{ if true }}";
    }
    EXPECT_EQ(render(deep), "failed: too many blocks within each other");
    EXPECT_TRUE(fails("{{ " + std::string(200, '(') + "1" + std::string(200, ')') + " }}"));
}

TEST(GoTemplate, HasNoDotForFlux) {
    const Value data = std::move(*read_json(R"({"inputs": {"a": "x", "m": "12"}})"));
    const auto made = [&](std::string_view text) {
        std::string failure;
        return render_go_template(text, data, true, failure,
                                  {.open = "<<", .close = ">>", .data = "inputs"})
            .value_or("failed: " + failure);
    };
    EXPECT_EQ(made("<< inputs.a >>{{ }}<< get inputs \"b\" >>"), "x{{ }}");
    EXPECT_EQ(made("<< inputs.b >>"), "failed: there is no \"b\" in \"inputs.b\"");
    EXPECT_EQ(made("<< toYaml inputs >>"), "a: x\nm: \"12\"\n");
    EXPECT_EQ(made("<< slugify \"A b.c\" >>"), "a-b-c");
    EXPECT_EQ(made("<< int inputs.m >>"), "12");
    for (const std::string_view text :
         {"<< .inputs.a >>", "<< $.inputs.a >>", "<< normalize \"A\" >>", "<< int \"1.0\" >>",
          "<< if false >><< merge >><< end >>", "<< slugify \"a&b\" >>", "<< inputs 1 >>"}) {
        EXPECT_TRUE(made(text).starts_with("failed: ")) << text;
    }
}

}  // namespace
}  // namespace renderer::engines
