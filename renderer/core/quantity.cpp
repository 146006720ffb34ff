#include "renderer/core/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace renderer {

namespace {

constexpr std::size_t kMaxDigits = 18;
constexpr std::uint64_t kBinaryBase = 1024;

struct Suffix {
    std::string_view text;
    int exponent;
};
constexpr std::array kDecimal = {Suffix{"n", -9}, Suffix{"u", -6}, Suffix{"m", -3}, Suffix{"", 0},
                                 Suffix{"k", 3},  Suffix{"M", 6},  Suffix{"G", 9},  Suffix{"T", 12},
                                 Suffix{"P", 15}, Suffix{"E", 18}};
// Powers of 1024.
constexpr std::array kBinary = {Suffix{"Ki", 1}, Suffix{"Mi", 2}, Suffix{"Gi", 3},
                                Suffix{"Ti", 4}, Suffix{"Pi", 5}, Suffix{"Ei", 6}};

enum class Format : std::uint8_t { Decimal, Exponent, Binary };

// digits * 10^exponent, in the binary format times 1024^power.
struct Amount {
    bool negative = false;
    std::string digits;
    int exponent = 0;
    Format format = Format::Decimal;
    int power = 0;
};

template <std::size_t N>
const Suffix* find_suffix(const std::array<Suffix, N>& suffixes, std::string_view text) {
    const auto* found = std::ranges::find(suffixes, text, &Suffix::text);
    return found == suffixes.end() ? nullptr : found;
}

bool read_suffix(std::string_view text, Amount& amount) {
    if (const Suffix* decimal = find_suffix(kDecimal, text); decimal != nullptr) {
        amount.exponent += decimal->exponent;
        return true;
    }
    if (const Suffix* binary = find_suffix(kBinary, text); binary != nullptr) {
        amount.format = Format::Binary;
        amount.power = binary->exponent;
        return true;
    }
    if (text.front() != 'e' && text.front() != 'E') {
        return false;
    }
    text.remove_prefix(1);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    int exponent = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, exponent);
    amount.exponent += exponent;
    amount.format = Format::Exponent;
    return error == std::errc() && stop == end;
}

std::optional<Amount> read_amount(std::string_view text) {
    Amount amount;
    if (text.starts_with('-') || text.starts_with('+')) {
        amount.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    const auto take_digits = [&] {
        const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
        amount.digits += text.substr(0, size);
        text.remove_prefix(size);
        return size;
    };
    take_digits();
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        amount.exponent = -static_cast<int>(take_digits());
    }
    if (amount.digits.empty() || !read_suffix(text, amount)) {
        return std::nullopt;
    }
    amount.digits.erase(0, std::min(amount.digits.find_first_not_of('0'), amount.digits.size()));
    return amount;
}

// "" when there is no suffix for it.
std::string decimal_text(std::string digits, int exponent, Format format) {
    while (digits.ends_with('0')) {
        digits.pop_back();
        ++exponent;
    }
    while (exponent % 3 != 0) {
        digits += '0';
        --exponent;
    }
    if (format == Format::Exponent) {
        return exponent == 0 ? digits : fmt::format("{}e{}", digits, exponent);
    }
    const auto* suffix = std::ranges::find(kDecimal, exponent, &Suffix::exponent);
    return suffix == kDecimal.end() ? "" : digits + std::string(suffix->text);
}

std::string binary_text(const Amount& amount) {
    std::uint64_t number = 0;
    std::from_chars(amount.digits.data(), amount.digits.data() + amount.digits.size(), number);
    for (int i = 0; i < amount.power; ++i) {
        if (number > std::numeric_limits<std::uint64_t>::max() / kBinaryBase) {
            return "";
        }
        number *= kBinaryBase;
    }
    std::uint64_t divisor = 1;
    for (int i = amount.exponent; i < 0; ++i) {
        divisor *= 10;
    }
    if (number / divisor < kBinaryBase) {
        return decimal_text(fmt::format("{}", number), amount.exponent, Format::Decimal);
    }
    if (number % divisor != 0) {
        return "";
    }
    number /= divisor;
    std::size_t power = 0;
    while (number % kBinaryBase == 0 && power < kBinary.size()) {
        number /= kBinaryBase;
        ++power;
    }
    return fmt::format("{}{}", number, power == 0 ? "" : kBinary.at(power - 1).text);
}

}  // namespace

std::optional<std::string> canonical_quantity(std::string_view text) {
    const std::optional<Amount> amount = read_amount(text);
    if (!amount) {
        return std::nullopt;
    }
    if (amount->digits.empty()) {
        return "0";
    }
    std::string canonical;
    if (amount->digits.size() <= kMaxDigits && amount->exponent >= -9) {
        canonical = amount->format == Format::Binary
                        ? binary_text(*amount)
                        : decimal_text(amount->digits, amount->exponent, amount->format);
    }
    return canonical.empty() ? std::string(text)
                             : fmt::format("{}{}", amount->negative ? "-" : "", canonical);
}

}  // namespace renderer
