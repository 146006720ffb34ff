#include "renderer/plan/versions.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace renderer::plan {
namespace {

TEST(VersionChanges, AreSortedAndWithinWhatIsTaken) {
    const auto changes = version_changes();
    EXPECT_TRUE(std::ranges::is_sorted(changes, {}, &VersionChange::since));
    for (const VersionChange& change : changes) {
        EXPECT_GT(change.since,
                  (TailscaleVersion{known_releases().front().minor - kSupportedSkew, 0}));
        EXPECT_LE(change.since, known_releases().back());
        EXPECT_FALSE(change.without.empty());
    }
}

TEST(KnownHoles, SayWhatIsAtStakeAndWhereItEnds) {
    for (const KnownHole& hole : known_holes()) {
        EXPECT_FALSE(hole.affected.empty());
        for (const VulnerableRange& range : hole.affected) {
            EXPECT_LT(range.from, range.until);
        }
        for (const std::string_view text :
             {hole.stake, hole.public_stake, hole.good, hole.source}) {
            EXPECT_FALSE(text.empty());
        }
    }
}

}  // namespace
}  // namespace renderer::plan
