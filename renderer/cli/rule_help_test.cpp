#include "renderer/cli/rule_help.h"

#include <gtest/gtest.h>

namespace renderer::cli {
namespace {

TEST(RuleHelp, IsWhatTheDocumentationSays) {
    const RuleHelp help = rule_help("lfs-pointer");
    EXPECT_EQ(help.cause, "the file is in Git LFS and only its pointer is here");
    EXPECT_EQ(help.remedy, "`git lfs pull`");
    EXPECT_EQ(rule_help("not-supported").remedy,
              "see the hint; often `kustomize build . \\| tailrender post-render`");
    for (const char* unknown : {"", "lfs", "no-such-rule"}) {
        EXPECT_EQ(rule_help(unknown).cause, "") << unknown;
        EXPECT_EQ(rule_help(unknown).remedy, "") << unknown;
    }
}

TEST(RuleHelp, BecomesPlainText) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", ""},
        {"`git lfs pull`", "git lfs pull"},
        {"see [the proxy](api-proxy.md#whose) and [usage](usage.md).", "see the proxy and usage."},
        {"`a \\| b`", "a | b"},
        {"`parameters: [{name: cluster}]`", "parameters: [{name: cluster}]"},
        {"[a] and [b](", "[a] and [b]("},
    };
    for (const auto& [markdown, text] : rows) {
        EXPECT_EQ(plain_text(markdown), text);
    }
}

}  // namespace
}  // namespace renderer::cli
