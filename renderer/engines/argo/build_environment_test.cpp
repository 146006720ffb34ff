#include "renderer/engines/argo/build_environment.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace renderer::engines {
namespace {

struct FilledText {
    std::string_view text, want;
};

constexpr auto kFilledTexts = std::to_array<FilledText>({
    {"plain", "plain"},
    {"values-$ARGOCD_APP_NAME.yaml", "values-web.yaml"},
    {"${ARGOCD_APP_NAMESPACE}_$ARGOCD_APP_PROJECT_NAME", "shop_home"},
    {"$ARGOCD_APP_SOURCE_PATH@$ARGOCD_APP_SOURCE_TARGET_REVISION", "charts/web@main"},
    {"$ARGOCD_APP_SOURCE_REPO_URL", "https://example.com/acme/fleet.git"},
    {"a$HOME-b", "a-b"},
    {"pa$$word", "pa$word"},
    {"$1x$", "x$"},
    {"$/x ${} ${open", "$/x  open"},
    {"$ARGOCD_APP_REVISION", "$ARGOCD_APP_REVISION"},
    {"${KUBE_VERSION}", "$KUBE_VERSION"},
});

TEST(BuildEnvironment, FillsWhatTheTreeDetermines) {
    const Value application =
        Value::map({{"metadata", Value::map({{"name", "web"}})},
                    {"spec", Value::map({{"project", "home"},
                                         {"destination", Value::map({{"namespace", "shop"}})}})}});
    const Value source = Value::map({{"path", "charts/web"},
                                     {"repoURL", "https://example.com/acme/fleet.git"},
                                     {"targetRevision", "main"}});
    for (const FilledText& row : kFilledTexts) {
        SCOPED_TRACE(row.text);
        const BuildEnvironment environment(application, source);
        EXPECT_EQ(environment.fill(row.text), row.want);
    }
}

}  // namespace
}  // namespace renderer::engines
