// What the exit codes of all verbs mean.
#pragma once

#include <algorithm>
#include <array>

namespace renderer {

inline constexpr int kErrors = 1;
inline constexpr int kUsage = 2;
inline constexpr int kDifferent = 3;  // stale, or another one than the one compared with
inline constexpr int kGate = 4;       // --fail-on

// Where two hold, the one that counts.
constexpr int exit_code_of(int a, int b) {
    constexpr std::array kOrder = {kUsage, kErrors, kGate, kDifferent, 0};
    return *std::ranges::find_if(kOrder, [&](int code) { return code == a || code == b; });
}

}  // namespace renderer
