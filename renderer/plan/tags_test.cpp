#include "renderer/plan/tags.h"

#include <gtest/gtest.h>

namespace renderer::plan {
namespace {

TEST(TagError, NamesTheFirstRuleThatIsBroken) {
    const std::vector<std::pair<std::string_view, std::string_view>> rows = {
        {"tag:k8s", ""},
        {"tag:K8s-prod-2", ""},
        {"k8s", "tags must start with 'tag:'"},
        {"", "tags must start with 'tag:'"},
        {"Tag:k8s", "tags must start with 'tag:'"},
        {"tag:", "tag names must not be empty"},
        {"tag:8s", "tag names must start with a letter, after 'tag:'"},
        {"tag:-a", "tag names must start with a letter, after 'tag:'"},
        {"tag:a_b", "tag names can only contain numbers, letters, or dashes"},
        {"tag:k\xc3\xa4se", "tag names can only contain numbers, letters, or dashes"},
    };
    for (const auto& [tag, want] : rows) {
        EXPECT_EQ(tag_error(tag), want) << tag;
    }
}

TEST(SplitTags, SplitsAtCommasAndTrims) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(split_tags(""), Texts{});
    EXPECT_EQ(split_tags("tag:a"), Texts{"tag:a"});
    EXPECT_EQ(split_tags(" tag:a ,\ttag:b "), (Texts{"tag:a", "tag:b"}));
    EXPECT_EQ(split_tags("\u00a0\u2003 tag:a\u3000,\u0085"), (Texts{"tag:a", ""}));
    EXPECT_EQ(split_tags("tag:a,,tag:b,"), (Texts{"tag:a", "", "tag:b", ""}));
}

}  // namespace
}  // namespace renderer::plan
