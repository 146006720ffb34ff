#include "renderer/plan/release.h"

#include <gtest/gtest.h>

#include <string>

#include "renderer/plan/settings/settings_testing.h"
#include "renderer/schema/type_table.h"

namespace renderer::plan {
namespace {

std::string version(std::string_view tag) {
    const std::optional<TailscaleVersion> found = version_of_tag(tag);
    return found ? std::to_string(found->minor) + "." + std::to_string(found->patch) : "none";
}

TEST(VersionOfTag, ReadsReleases) {
    EXPECT_EQ(version("v1.96.5"), "96.5");
    EXPECT_EQ(version("1.88.0"), "88.0");
    EXPECT_EQ(version("1.92.3-debug"), "92.3");
    EXPECT_EQ(version("v1.97.37_amd64"), "97.37");
    EXPECT_EQ(version("v1.90.2@sha256:00"), "90.2");
    EXPECT_GT(version_of_tag("v1.96"), version_of_tag("v1.96.5"));
    EXPECT_GT(version_of_tag("2.0.1"), version_of_tag("v1.999.0"));
}

TEST(VersionOfTag, LeavesOtherTagsAlone) {
    for (const std::string_view tag :
         {"", "stable", "latest", "v1", "1.", "1.x", "v1.96.", "v1.96.5x", "unstable-v1.97.3",
          "2024.10.1", "0.1.0", "1.-96", "v1.96.5.1", "99999999999.1"}) {
        EXPECT_EQ(version(tag), "none") << tag;
    }
}

struct Chosen {
    SourceMap sources;
    Diagnostics diagnostics;
    Release release;

    Chosen(std::initializer_list<ReleaseSource> from)
        : release(choose_release({from.begin(), from.size()}, diagnostics)) {}
    [[nodiscard]] std::string dump() const { return plan::dump(sources, diagnostics); }
};

TEST(ChooseRelease, TakesTheFirstThatNamesOne) {
    EXPECT_EQ(Chosen({}).release.version, default_release().version);
    const Chosen chosen{{.text = "stable", .where = "a"}, {.text = "1.98.3", .where = "b"}};
    EXPECT_EQ(chosen.release.tag, "v1.98.3");
    EXPECT_EQ(chosen.release.name(), "1.98");
    EXPECT_EQ(chosen.dump(), "");
}

TEST(ChooseRelease, FillsInTheNewestPatch) {
    EXPECT_EQ((Chosen{{.text = "1.98", .where = "a"}}.release.tag), "v1.98.10");
    EXPECT_EQ((Chosen{{.text = "v1.104", .where = "a"}}.release.tag), "v1.104.5");
    for (const char* range : {"~1.98", "~1.98.3", "1.98.x", "1.98.*"}) {
        EXPECT_EQ((Chosen{{.text = range, .where = "a"}}.release.tag), "v1.98.10") << range;
    }
}

TEST(ChooseRelease, WarnsIfNoPlaceNamesOne) {
    for (const char* text : {"*", "1.x", ">=1.98", "latest", "${VERSION}"}) {
        const Chosen unknown{{.text = text, .where = "a"}};
        EXPECT_EQ(unknown.release.version, default_release().version);
        EXPECT_NE(unknown.dump().find("[unknown-release]"), std::string::npos) << text;
    }
    EXPECT_EQ((Chosen{{.text = "newest", .where = kOperatorVersion}}.dump()), "");
}

TEST(ChooseRelease, WarnsOfAnotherRelease) {
    const Chosen chosen{{.text = "1.98.10", .where = "helm.version"},
                        {.text = "v1.98.2", .where = "the image"},
                        {.text = "v1.102.5", .where = "the image"}};
    EXPECT_EQ(chosen.release.tag, "v1.98.10");
    EXPECT_EQ(
        chosen.dump(),
        "0: warning [release-conflict] another release of the operator is rendered, as set in "
        "\"helm.version\" | \"v1.102.5\" | \"1.98.10\"\n");
}

TEST(ChooseRelease, RendersAnUnknownOneAsTheLastKnownOne) {
    const Chosen newer{{.text = "1.196.2", .where = "a"}};
    EXPECT_EQ(newer.release.tag, "v1.196.2");
    EXPECT_TRUE(newer.release.has(Trait::GuardedPolicies));
    EXPECT_EQ(
        newer.dump(),
        "0: warning [unknown-release] this release of the operator is not known here: it is "
        "rendered as 1.104 | \"1.196.2\" | use a newer tailrender, or read what changed before "
        "you apply this\n");
    EXPECT_EQ((Chosen{{.text = "2.0.1", .where = "a"}}.release.tag), "v1.104.5");
    const Chosen unstable{{.text = "1.97.40", .where = "a"}};
    EXPECT_NE(unstable.dump().find("rendered as 1.96"), std::string::npos);
    EXPECT_FALSE(unstable.release.has(Trait::DefaultServerUrl));
}

TEST(ChooseRelease, RefusesAnOldOneUnlessItIsReplaced) {
    const Chosen old{{.text = "1.94.2", .where = "a"}};
    EXPECT_EQ(old.dump(),
              "0: error [unknown-release] this release of the operator is older than all supported "
              "ones | \"1.94.2\" | one of { 1.96, 1.98, 1.100, 1.102, 1.104 } | set "
              "\"tailrender.operatorVersion\" to one of them\n");
    const Chosen replaced{{.text = "1.94.2", .where = "a", .is_replaced = true}};
    EXPECT_EQ(replaced.release.version, default_release().version);
    EXPECT_FALSE(replaced.diagnostics.has_errors());
    EXPECT_NE(replaced.dump().find("warning [unknown-release]"), std::string::npos);
}

TEST(Traits, BeginWithTheirRelease) {
    const Release before = Chosen{{.text = "1.102.5", .where = "a"}}.release;
    const Release since = Chosen{{.text = "1.104.0", .where = "a"}}.release;
    EXPECT_FALSE(before.has(Trait::ServeOnAllInterfaces));
    EXPECT_TRUE(since.has(Trait::ServeOnAllInterfaces));
    EXPECT_TRUE(since.has(Trait::DefaultServerUrl));
}

TEST(KnownReleases, AreThoseWhoseResourcesCanBeValidated) {
    std::string line = "\noperator";
    for (const TailscaleVersion& known : kReleases) {
        line += " 1." + std::to_string(known.minor);
    }
    EXPECT_NE(schema::schema_table_text().find(line + "\n"), std::string_view::npos) << line;
}

}  // namespace
}  // namespace renderer::plan
