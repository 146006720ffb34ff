#include "renderer/plan/object_names.h"

#include <fmt/format.h>

#include "renderer/base/sha256.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";  // without look-alikes
constexpr std::size_t kSuffixLength = 5;

std::string suffix(std::string_view key) {
    std::uint64_t modulus = 1;
    for (std::size_t i = 0; i < kSuffixLength; ++i) {
        modulus *= kAlphabet.size();
    }
    std::uint64_t rest = 0;
    for (const std::uint8_t byte : sha256(key)) {
        rest = (rest << 8U | byte) % modulus;
    }
    std::string text(kSuffixLength, ' ');
    for (std::size_t i = kSuffixLength; i-- > 0; rest /= kAlphabet.size()) {
        text[i] = kAlphabet[rest % kAlphabet.size()];
    }
    return text;
}

}  // namespace

std::string proxy_name(std::string_view kind, std::string_view ns, std::string_view name) {
    return fmt::format("ts-{}-{}", name.substr(0, kKeptParentBytes),
                       suffix(fmt::format("{}/{}/{}", kind, ns, name)));
}

std::string group_service_name(std::string_view ns, std::string_view name) {
    constexpr std::size_t kLongestPrefix = 58;
    std::string text = fmt::format("ts-{}-", name).substr(0, kLongestPrefix);
    return text + suffix(fmt::format("Service/{}/{}", ns, name));
}

}  // namespace renderer::plan
