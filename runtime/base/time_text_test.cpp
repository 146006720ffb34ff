#include "runtime/base/time_text.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

TEST(TimeText, ReadsWhatItWrites) {
    const Time time = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) +
                      std::chrono::hours(16) + std::chrono::minutes(40) + std::chrono::seconds(58) +
                      Duration(120);
    EXPECT_EQ(format_seconds(time), "2026-11-21T16:40:58Z");
    EXPECT_EQ(format_microseconds(time), "2026-11-21T16:40:58.120000Z");
    EXPECT_EQ(parse_time(format_microseconds(time)), time);
    EXPECT_EQ(parse_time(format_seconds(time)), time - Duration(120));
}

TEST(TimeText, ReadsOffsetsAndAnyFraction) {
    const auto noon = parse_time("2024-02-29T12:00:00Z");
    ASSERT_TRUE(noon.has_value());
    EXPECT_EQ(parse_time("2024-02-29T14:00:00+02:00"), noon);
    EXPECT_EQ(parse_time("2024-02-29T06:30:00-05:30"), noon);
    EXPECT_EQ(parse_time("2024-02-29T12:00:00.5Z"), *noon + Duration(500));
    EXPECT_EQ(parse_time("2024-02-29T12:00:00.123456789Z"), *noon + Duration(123));
}

TEST(TimeText, RefusesTheRest) {
    for (const char* text :
         {"", "2024-02-30T12:00:00Z", "2024-02-29", "2024-02-29T12:00:00", "2024-02-29T24:00:00Z",
          "2024-02-29T12:60:00Z", "2024-02-29T12:00:00.Z", "2024-02-29T12:00:00Zx",
          "2024-02-29 12:00:00Z", "-024-02-29T12:00:00Z", "2024-02-29T12:00:00+2:00"}) {
        EXPECT_FALSE(parse_time(text).has_value()) << text;
    }
}

TEST(TimeText, TellsHowLongAgoATimeWas) {
    const Time now = std::chrono::sys_days(std::chrono::year(2026) / 6 / 1);
    const Duration minute = std::chrono::minutes(1);
    EXPECT_EQ(age_of(now - minute, now), minute);
    EXPECT_EQ(age_of(now + minute, now), -minute) << "clocks differ";
    EXPECT_EQ(age_of(now + minute + Duration(1), now), std::nullopt);
    EXPECT_EQ(age_of(std::nullopt, now), std::nullopt);
}

}  // namespace
}  // namespace runtime::inline base
