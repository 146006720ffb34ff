#include "renderer/engines/liveness.h"

#include <gtest/gtest.h>

#include <utility>

namespace renderer::engines {
namespace {

BuildUnit unit_in(UnitState state) {
    BuildUnit unit;
    unit.state = state;
    return unit;
}

TEST(LivenessOfAUnit, IsUnknownOnlyWhereTheTreeCannotTell) {
    const std::pair<UnitState, Liveness> rows[] = {
        {UnitState::Live, Liveness::Applied},        {UnitState::Kept, Liveness::Kept},
        {UnitState::Missing, Liveness::Broken},      {UnitState::Refused, Liveness::Broken},
        {UnitState::Unresolved, Liveness::Unknown},  {UnitState::External, Liveness::Absent},
        {UnitState::OtherCluster, Liveness::Absent}, {UnitState::LeftOver, Liveness::Absent}};
    for (const auto& [state, liveness] : rows) {
        EXPECT_EQ(liveness_of(unit_in(state)), liveness);
    }
}

TEST(RenderedUnit, IsLiveOrKept) {
    EXPECT_TRUE(is_rendered(unit_in(UnitState::Live), true));
    EXPECT_TRUE(is_rendered(unit_in(UnitState::Kept), false));
    EXPECT_FALSE(is_rendered(unit_in(UnitState::Kept), true));
    EXPECT_FALSE(is_rendered(unit_in(UnitState::Missing), false));
}

TEST(AppliedUnits, AreThereUnlessAllOfThemAreElsewhere) {
    EXPECT_FALSE(are_applied({}));
    EXPECT_FALSE(are_applied({unit_in(UnitState::External)}));
    EXPECT_TRUE(are_applied({unit_in(UnitState::External), unit_in(UnitState::Unresolved)}));
    BuildUnit chart = unit_in(UnitState::Live);
    chart.is_chart_root = true;
    EXPECT_FALSE(are_applied({chart}));
    chart.rest = UnitRest::Chart;
    EXPECT_TRUE(are_applied({chart}));
}

// An engine that stops at a file of a unit applies nothing of the unit.
TEST(Standings, SayThatAUnitIsBrokenByItsFile) {
    BuildUnit unit = unit_in(UnitState::Live);
    unit.name = "Kustomization flux-system/apps";
    BuildUnit file = unit_in(UnitState::Refused);
    file.name = "apps/web.yaml";
    file.reason = "it is not YAML";
    file.is_file = true;
    file.parent = 0;
    const std::vector<Standing> standings = standings_of({unit, file});
    ASSERT_EQ(standings.size(), 2U);
    EXPECT_EQ(standings[0].liveness, Liveness::Broken);
    EXPECT_EQ(standings[0].reason, "apps/web.yaml is refused: it is not YAML");
}

TEST(Standings, SayThatAUnitIsBrokenThatKustomizeCannotBuild) {
    BuildUnit unit = unit_in(UnitState::Live);
    unit.unbuilt = "no such file";
    EXPECT_EQ(standings_of({unit})[0].liveness, Liveness::Broken);
    EXPECT_EQ(standings_of({unit})[0].reason, "no such file");
}

TEST(UnitPath, NamesAllThatIsAbove) {
    BuildUnit root = unit_in(UnitState::Live);
    root.name = "Kustomization flux-system/flux-system";
    root.is_flux = true;
    root.cluster = "clusters/den";
    BuildUnit child = unit_in(UnitState::Live);
    child.name = "Kustomization flux-system/apps";
    child.parent = 0;
    EXPECT_EQ(unit_path_of({root, child}, child),
              "cluster clusters/den > Kustomization flux-system/flux-system > "
              "Kustomization flux-system/apps");
}

}  // namespace
}  // namespace renderer::engines
