#include "renderer/schema/formats.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "renderer/base/pattern.h"

namespace renderer::schema {

namespace {

// Parses the whole text as decimal digits.
std::optional<unsigned> number_of(std::string_view text) {
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace

bool is_rfc3339(std::string_view text) {
    static const std::optional<Pattern> kShape =
        Pattern::parse(R"(^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?)"
                       R"((Z|[+-]([01]\d|2[0-4]):([0-5]\d|60))$)");
    if (!kShape->matches(text)) {
        return false;
    }
    const unsigned year = *number_of(text.substr(0, 4));
    const std::chrono::month month(*number_of(text.substr(5, 2)));
    const std::chrono::day day(*number_of(text.substr(8, 2)));
    return (std::chrono::year(static_cast<int>(year)) / month / day).ok();
}

bool is_cidr(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return false;
    }
    const std::string address(text.substr(0, slash));
    const std::string_view digits = text.substr(slash + 1);
    const bool is_v6 = address.find(':') != std::string::npos;
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, address.c_str(), bytes.data()) != 1) {
        return false;
    }
    const std::optional<unsigned> bits = number_of(digits);
    return digits.size() <= 3 && bits && *bits <= (is_v6 ? 128 : 32);
}

}  // namespace renderer::schema
