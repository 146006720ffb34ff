// Fuzz target: any response of a recorder is understood in the same way however it is split, and
// acknowledges no more than was sent.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/base/check.h"
#include "runtime/recording/acks.h"

namespace {

constexpr std::uint64_t kSent = 1000;

std::string read(std::string_view bytes, std::size_t piece) {
    runtime::recording::AckReader acks;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const auto problem = acks.take(bytes.substr(at, piece), kSent);
        if (problem) {
            CHECK(problem->size() < 300);
            return "a problem";
        }
        CHECK(acks.acknowledged() <= kSent);
    }
    return std::to_string(acks.acknowledged()) + " " + std::to_string(acks.frames()) +
           (acks.is_between() ? " between" : "");
}

}  // namespace

extern "C" int fuzz_acks(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::string whole = read(bytes, std::max<std::size_t>(size, 1));
    CHECK(whole == read(bytes, 1));
    CHECK(whole == read(bytes, 7));
    return 0;
}
