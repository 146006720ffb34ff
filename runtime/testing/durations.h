// Durations for tests.
#pragma once

#include <chrono>

#include "runtime/base/loop.h"

namespace runtime {

inline constexpr Duration kSecond = std::chrono::seconds(1);
inline constexpr Duration kMinute = std::chrono::minutes(1);

}  // namespace runtime
