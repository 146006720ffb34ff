#include "renderer/engines/helm/version_range.h"

#include <gtest/gtest.h>

namespace renderer::engines {
namespace {

TEST(VersionRange, HoldsWhatHelmTakes) {
    struct Row {
        std::string_view range, in, out;  // versions, with spaces between them
    };
    constexpr Row kRows[] = {
        {"", "0.1.0 v1.2.3 1.2.3+build", "1.2.3-rc1 x 1.2.3.4 1..2"},
        {"1.2.3", "1.2.3 v1.2.3 1.2.3+a", "1.2.4 1.2.3-rc1"},
        {"=1.2", "1.2.0 1.2.9", "1.3.0 1.1.9"},
        {"1.x", "1.0.0 1.9.9", "2.0.0 0.9.9"},
        {"*", "0.0.1 9.9.9", "9.9.9-a"},
        {"^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0"},
        {"^0.2.3", "0.2.3 0.2.9", "0.3.0 1.0.0"},
        {"^0.0.3", "0.0.3", "0.0.4"},
        {"^0.0", "0.0.9", "0.1.0"},
        {"^0", "0.9.9", "1.0.0"},
        {"^2.0.0", "2.1.0", "1.2.0 3.0.0"},
        {"~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"},
        {"~1", "1.9.9", "2.0.0"},
        {"~>1.2", "1.2.9", "1.3.0"},
        {">=1.2 <2, !=1.4.0", "1.2.0 1.4.1 1.9.9", "1.4.0 2.0.0 1.1.9"},
        {"> 1.2", "1.3.0", "1.2.0 1.2.9"},
        {"<=1.2", "1.2.9 0.1.0", "1.3.0"},
        {"=>1.2", "1.2.0", "1.1.0"},
        {"<1.0.0 || >=2.0.0", "0.9.0 2.0.0", "1.5.0"},
        {"1.2 - 1.4.5", "1.2.0 1.4.5", "1.1.9 1.4.6"},
        {">=1.2.3-0", "1.2.3-rc1 1.2.3", "1.2.2"},
        {">=1.2.3-rc.2", "1.2.3-rc.3 1.2.3", "1.2.3-rc.1"},
        {"nothing", "", "1.0.0"},
        {">= ", "", "1.0.0"},
        {"<>1.0.0", "", "1.0.0 2.0.0"},
    };
    for (const auto& [range, in, out] : kRows) {
        for (const auto& [versions, want] : {std::pair(in, true), std::pair(out, false)}) {
            std::string_view rest = versions;
            while (!rest.empty()) {
                const std::string_view version = rest.substr(0, rest.find(' '));
                rest.remove_prefix(std::min(version.size() + 1, rest.size()));
                EXPECT_EQ(is_in_range(version, range), want) << range << ": " << version;
            }
        }
    }
}

}  // namespace
}  // namespace renderer::engines
