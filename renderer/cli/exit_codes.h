// The exit codes of all verbs, which docs/usage.md lists.
#pragma once

#include <algorithm>
#include <array>

namespace renderer::cli {

inline constexpr int kErrors = 1;
inline constexpr int kUsage = 2;
inline constexpr int kDifferent = 3;  // a stale tree, or a difference
inline constexpr int kGate = 4;       // --fail-on

// Chooses between two codes that both apply.
constexpr int exit_code_of(int a, int b) {
    constexpr std::array kOrder = {kUsage, kErrors, kGate, kDifferent, 0};
    return *std::ranges::find_if(kOrder, [&](int code) { return code == a || code == b; });
}

}  // namespace renderer::cli
