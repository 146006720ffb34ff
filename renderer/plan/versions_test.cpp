#include "renderer/plan/versions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace renderer {
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

TEST(VersionChanges, AreSortedAndWithinWhatIsTaken) {
    const auto changes = version_changes();
    EXPECT_TRUE(std::ranges::is_sorted(changes, {}, &VersionChange::since));
    for (const VersionChange& change : changes) {
        EXPECT_GT(change.since, (TailscaleVersion{kOldestMinor, 0}));
        EXPECT_LE(change.since, kSupportedVersion);
        EXPECT_FALSE(change.without.empty());
    }
}

}  // namespace
}  // namespace renderer
