// Points in time as Kubernetes and Tailscale write them: RFC 3339 in UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/loop.h"

namespace runtime::inline base {

std::string format_seconds(Time time);       // metav1.Time: 2026-11-21T16:40:58Z
std::string format_microseconds(Time time);  // metav1.MicroTime: 2026-11-21T16:40:58.120000Z

// Parses RFC 3339 with `Z` or an offset. The fraction of a second may have any number of digits;
// those after the third are ignored. No value for anything else.
std::optional<Time> parse_time(std::string_view text);

// Returns the time since `time`. No value if there is no time, or if it is in the future by more
// than clocks may differ: nothing may wait for it.
std::optional<Duration> age_of(const std::optional<Time>& time, Time now);

}  // namespace runtime::inline base
