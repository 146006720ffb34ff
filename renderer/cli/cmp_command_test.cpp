#include "renderer/cli/cmp_command.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::cli {
namespace {

repo::LoadOptions applied(const Environment& environment) {
    repo::LoadOptions options;
    Result<Unit> done = apply_application(environment, options);
    EXPECT_TRUE(done.has_value());
    return options;
}

Diagnostic refused(const Environment& environment) {
    repo::LoadOptions options;
    Result<Unit> done = apply_application(environment, options);
    EXPECT_FALSE(done.has_value());
    return done ? Diagnostic{} : done.error().diagnostic;
}

Diagnostic refused_parameters(std::string json) {
    return refused({{"ARGOCD_APP_PARAMETERS", std::move(json)}});
}

using Strings = std::vector<std::string>;

TEST(Cmp, TakesEveryParameter) {
    const repo::LoadOptions options = applied(
        {{"ARGOCD_APP_NAMESPACE", "destination"},
         {"ARGOCD_APP_REVISION", "0123456"},
         {"ARGOCD_APP_PARAMETERS",
          R"([{"name": "cluster", "string": "home"}, {"name": "namespace", "string": "shop"},
              {"name": "values-files", "array": ["a.yaml", "b.yaml"]},
              {"name": "set", "map": {"a.b": "c,d", "e": "{x}", "f": "g\\h"}},
              {"name": "context", "array": ["../other"]},
              {"name": "kubernetes-version", "string": "1.34"},
              {"name": "validate", "string": "true"}])"}});
    EXPECT_EQ(options.cluster, "home");
    EXPECT_EQ(options.default_namespace, "shop");
    EXPECT_EQ(options.values_files, (Strings{"a.yaml", "b.yaml"}));
    EXPECT_EQ(options.sets, (Strings{"a.b=c\\,d", "e=\\{x}", "f=g\\\\h"}));
    EXPECT_EQ(options.context_dirs, Strings{"../other"});
    EXPECT_EQ(options.kubernetes_version, "1.34");
    EXPECT_TRUE(options.validate);
}

TEST(Cmp, NamespaceIsTheDestinationsUnlessAParameterNamesOne) {
    EXPECT_EQ(applied({{"ARGOCD_APP_NAMESPACE", "shop"}}).default_namespace, "shop");
    EXPECT_EQ(applied({{"ARGOCD_APP_NAMESPACE", "shop"},
                       {"ARGOCD_APP_PARAMETERS", R"([{"name": "namespace", "string": ""}])"}})
                  .default_namespace,
              "shop");
}

TEST(Cmp, ParametersWinOverPluginEnv) {
    const repo::LoadOptions options =
        applied({{"ARGOCD_ENV_TAILRENDER_CLUSTER", "home"},
                 {"ARGOCD_ENV_TAILRENDER_NAMESPACE", "shop"},
                 {"ARGOCD_ENV_TAILRENDER_VALUES_FILES", "a.yaml\nb.yaml\n"},
                 {"ARGOCD_ENV_TAILRENDER_SET", ""},
                 {"ARGOCD_ENV_OTHER", "of another tool"},
                 {"ARGOCD_APP_PARAMETERS", R"([{"name": "cluster", "string": "lab"}])"}});
    EXPECT_EQ(options.cluster, "lab");
    EXPECT_EQ(options.default_namespace, "shop");
    EXPECT_EQ(options.values_files, (Strings{"a.yaml", "b.yaml"}));
    EXPECT_TRUE(options.sets.empty());
}

TEST(Cmp, NoParametersAreFine) {
    for (const char* json : {"", "null", "[]"}) {
        EXPECT_EQ(applied({{"ARGOCD_APP_PARAMETERS", json}}).cluster, "") << json;
    }
}

TEST(Cmp, RefusesUnknownNames) {
    const Diagnostic parameter = refused_parameters(R"([{"name": "clustr", "string": "home"}])");
    EXPECT_EQ(parameter.rule, "unknown-parameter");
    EXPECT_EQ(parameter.where, "ARGOCD_APP_PARAMETERS");
    EXPECT_EQ(parameter.message, "unknown parameter \"clustr\"");
    EXPECT_EQ(parameter.hint, "did you mean \"cluster\"?");
    const Diagnostic variable = refused({{"ARGOCD_ENV_TAILRENDER_VALUES", "a.yaml"}});
    EXPECT_EQ(variable.rule, "unknown-parameter");
    EXPECT_EQ(variable.where, "plugin.env");
    EXPECT_EQ(variable.message, "unknown parameter \"TAILRENDER_VALUES\"");
}

TEST(Cmp, RefusesWrongTypes) {
    EXPECT_EQ(refused_parameters("{").message, "cannot parse the application's parameters");
    EXPECT_EQ(refused_parameters("{}").found, "a map");
    EXPECT_EQ(refused_parameters("[12]").rule, "unknown-parameter");
    const Diagnostic array = refused_parameters(R"([{"name": "cluster", "array": ["home"]}])");
    EXPECT_EQ(array.message, "parameter \"cluster\" has the wrong type");
    EXPECT_EQ(array.found, "array");
    EXPECT_EQ(array.expected, "string");
    EXPECT_EQ(refused_parameters(R"([{"name": "context", "array": [1]}])").expected,
              "array of strings");
    EXPECT_EQ(refused_parameters(R"([{"name": "set", "map": {"a": 1}}])").expected,
              "map of strings");
    EXPECT_EQ(refused_parameters(R"([{"name": "cluster", "string": 1}])").found, "a number");
    const Diagnostic flag = refused_parameters(R"([{"name": "validate", "string": "yes"}])");
    EXPECT_EQ(flag.message, "invalid parameter value");
    EXPECT_EQ(flag.found, "\"yes\"");
}

TEST(Cmp, KnowsTheTopOfTheCheckout) {
    const auto top = [](const std::string& path, const std::string& here) {
        return work_tree_of({{"ARGOCD_APP_SOURCE_PATH", path}}, here);
    };
    EXPECT_EQ(top("apps/web", "/none/1/apps/web"), "/none/1");
    EXPECT_EQ(top("./apps//web/", "/none/1/apps/web"), "/none/1");
    EXPECT_EQ(top(".", "/none/1"), "/none/1");
    EXPECT_EQ(top("other", "/none/1/apps"), "/none/1/apps");
    EXPECT_EQ(work_tree_of({}, "/none/1"), "/none/1");
}

TEST(Cmp, AnnouncesParameters) {
    const Result<Value> none = read_json(parameters_json({}));
    ASSERT_TRUE(none.has_value());
    ASSERT_EQ(none->items().size(), 7U);
    const Value& cluster = none->items()[0];
    EXPECT_EQ(cluster.find("name")->text(), "cluster");
    EXPECT_EQ(cluster.find("collectionType")->text(), "string");
    EXPECT_FALSE(cluster.find("required")->as_bool());
    EXPECT_EQ(cluster.find("string"), nullptr);
    EXPECT_EQ(none->items()[2].find("collectionType")->text(), "array");
    EXPECT_EQ(none->items()[3].find("collectionType")->text(), "map");
    const Result<Value> one = read_json(parameters_json({"home"}));
    EXPECT_EQ(one->items()[0].find("string")->text(), "home");
    const Result<Value> two = read_json(parameters_json({"home", "lab"}));
    EXPECT_TRUE(two->items()[0].find("required")->as_bool());
    EXPECT_EQ(two->items()[0].find("tooltip")->text(),
              "cluster of .tailrender.yaml to render for: home, lab");
}

}  // namespace
}  // namespace renderer::cli
