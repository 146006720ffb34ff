#include "renderer/cli/explain.h"

#include <gtest/gtest.h>

namespace renderer::cli {
namespace {

constexpr std::string_view kText =
    "apiVersion: v1\n"
    "kind: Service\n"
    "metadata:\n"
    "  name: web\n"
    "  namespace: shop\n"
    "  # tailscale comment\n"
    "  annotations:\n"
    "    tailscale.com/expose: \"true\"\n";

// Has a Service that became two objects, and a foreign ConfigMap in another file.
class Explain : public testing::Test {
protected:
    void SetUp() override {
        web_ = run_.loaded.sources.add("apps/web.yaml", std::string(kText));
        other_ = run_.loaded.sources.add("apps/settings.yaml", "kind: ConfigMap\n");
        add_document(web_, "Service", "shop", "web", 15);
        add_document(other_, "ConfigMap", "shop", "settings", 0);
        add_object("StatefulSet", "ts-web");
        add_object("Secret", "ts-web-0-config");
    }

    void add_document(SourceId source, std::string_view kind, std::string_view ns,
                      std::string_view name, std::size_t kind_at) {
        Document document;
        document.source = source;
        document.range = {0, run_.loaded.sources.text(source).size()};
        document.kind = Value(kind);
        document.kind.set_pos(run_.loaded.sources.pos(source, kind_at));
        document.name = Value(name);
        document.effective_namespace = ns;
        run_.loaded.documents.push_back(std::move(document));
    }

    void add_object(std::string_view kind, std::string_view name) {
        Object object;
        object.root = Value::map(
            {{"apiVersion", "v1"},
             {"kind", Value(kind)},
             {"metadata", Value::map({{"name", Value(name)}, {"namespace", "tailscale"}})}});
        object.origin = {run_.loaded.sources.pos(web_, 15), "Service/shop/web",
                         "l3-ingress: annotation tailscale.com/expose"};
        object.generator = "l3_ingress";
        run_.objects.push_back(std::move(object));
    }

    std::string ask(std::string_view object) {
        auto answer = explain(run_, object);
        if (answer) {
            return explain_text(*answer);
        }
        Diagnostics diagnostics;
        diagnostics.add(answer.error().diagnostic);
        return diagnostics.print(run_.loaded.sources, false);
    }

    renderer::Run run_;
    SourceId web_ = 0, other_ = 0;
};

TEST_F(Explain, ShowsTheInputLinesTheRuleAndTheSiblings) {
    const std::string want =
        "StatefulSet/tailscale/ts-web\n"
        "  generator l3_ingress\n"
        "  rule      l3-ingress: annotation tailscale.com/expose\n"
        "  from      Service/shop/web\n"
        "    apps/web.yaml:2 | kind: Service\n"
        "    apps/web.yaml:8 |     tailscale.com/expose: \"true\"\n"
        "  together  Secret/tailscale/ts-web-0-config\n";
    EXPECT_EQ(ask("StatefulSet/tailscale/ts-web"), want);
    EXPECT_EQ(ask("StatefulSet/ts-web"), want);
}

TEST_F(Explain, ShowsWhatAParentBecomes) {
    EXPECT_EQ(ask("Service/shop/web"),
              "Service/shop/web\n"
              "  rule      l3-ingress: annotation tailscale.com/expose\n"
              "  from      Service/shop/web\n"
              "    apps/web.yaml:2 | kind: Service\n"
              "    apps/web.yaml:8 |     tailscale.com/expose: \"true\"\n"
              "  makes     StatefulSet/tailscale/ts-web\n"
              "            Secret/tailscale/ts-web-0-config\n");
}

TEST_F(Explain, ShowsWhatHappensToAForeignDocument) {
    run_.plan.edits.push_back({other_, 3, 3, "x", "namespace shop from bundle apps"});
    EXPECT_EQ(ask("ConfigMap/settings"),
              "ConfigMap/shop/settings\n"
              "  passes through\n"
              "    apps/settings.yaml:1 | kind: ConfigMap\n"
              "  edit      namespace shop from bundle apps\n");
}

TEST_F(Explain, SuggestsTheNearestName) {
    EXPECT_EQ(ask("StatefulSet/tailscale/ts-wbe"),
              "explain: error: object not found in the input or the output "
              "[unknown-object]\n"
              "  found: \"StatefulSet/tailscale/ts-wbe\"\n"
              "  expected: Kind/namespace/name or Kind/name\n"
              "  hint: did you mean \"StatefulSet/tailscale/ts-web\"?\n");
}

}  // namespace
}  // namespace renderer::cli
