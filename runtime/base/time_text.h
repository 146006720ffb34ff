// Points in time as Kubernetes and Tailscale write them: RFC 3339, UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/loop.h"

namespace runtime {

std::string format_seconds(Time time);       // metav1.Time: 2026-11-21T16:40:58Z
std::string format_microseconds(Time time);  // metav1.MicroTime: 2026-11-21T16:40:58.120000Z

// Any number of digits behind the seconds, which count to the millisecond; `Z` or an offset. No
// value for anything else.
std::optional<Time> parse_time(std::string_view text);

// How long ago that was. No value without a time, and for one that is ahead by more than clocks
// differ: nothing may wait for it.
std::optional<Duration> age_of(const std::optional<Time>& time, Time now);

}  // namespace runtime
