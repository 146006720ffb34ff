#include "renderer/kube/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace renderer::inline kube {

namespace {

constexpr std::size_t kMaxDigits = 18;
constexpr int kFinest = -9;
constexpr std::uint64_t kBinaryBase = 1024;
constexpr std::string_view kLargestBinary = "9223372036854775807";
__extension__ using Wide = unsigned __int128;  // holds 18 digits times 1024^6

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

// The value is digits * 10^exponent, in the binary format times 1024^power.
struct Amount {
    bool negative = false;
    std::string digits;        // without leading zeros
    std::size_t fraction = 0;  // how many of them were after the point
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
        amount.fraction = take_digits();
        amount.exponent = -static_cast<int>(amount.fraction);
    }
    if (amount.digits.empty() || !read_suffix(text, amount)) {
        return std::nullopt;
    }
    amount.digits.erase(0, std::min(amount.digits.find_first_not_of('0'), amount.digits.size()));
    return amount;
}

void round_up(std::string& digits, int& exponent) {
    const auto dropped = static_cast<std::size_t>(kFinest - exponent);
    exponent = kFinest;
    digits.resize(digits.size() - std::min(dropped, digits.size()));
    const auto last = std::find_if(digits.rbegin(), digits.rend(), [](char c) { return c != '9'; });
    std::fill(digits.rbegin(), last, '0');
    if (last == digits.rend()) {
        digits.insert(digits.begin(), '1');
    } else {
        ++*last;
    }
}

// Returns "" if there is no suffix for the exponent.
std::string decimal_text(std::string digits, int exponent, Format format) {
    while (digits.ends_with('0')) {
        digits.pop_back();
        ++exponent;
    }
    if (exponent < kFinest) {
        round_up(digits, exponent);
        return decimal_text(std::move(digits), exponent, format);
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

Wide number_of(std::string_view digits) {
    Wide number = 0;
    for (const char digit : digits) {
        number = number * 10 + static_cast<unsigned>(digit - '0');
    }
    return number;
}

std::string digits_of(Wide number) {
    std::string digits;
    for (; number > 0; number /= 10) {
        digits += static_cast<char>('0' + static_cast<char>(number % 10));
    }
    return {digits.rbegin(), digits.rend()};
}

std::string binary_text(const Amount& amount) {
    Wide number = number_of(amount.digits);
    number <<= 10U * static_cast<unsigned>(amount.power);
    Wide divisor = 1;
    for (int i = amount.exponent; i < 0; ++i) {
        divisor *= 10;
    }
    if (number / divisor >= Wide(1) << 63U) {
        return std::string(kLargestBinary);
    }
    if (number / divisor < kBinaryBase || number % divisor != 0) {
        return decimal_text(digits_of(number), amount.exponent, Format::Decimal);
    }
    number /= divisor;
    std::size_t power = 0;
    while (number % kBinaryBase == 0 && power < kBinary.size()) {
        number /= kBinaryBase;
        ++power;
    }
    return digits_of(number) + std::string(power == 0 ? "" : kBinary.at(power - 1).text);
}

// True for spellings that Go takes for canonical without calculating.
bool keeps_its_spelling(const Amount& amount) {
    if (amount.digits.size() <= amount.fraction || amount.digits.size() > kMaxDigits) {
        return false;
    }
    if (amount.format == Format::Binary) {
        const int precision = 14 - static_cast<int>(amount.digits.size()) - 3 * amount.power;
        return amount.fraction == 0 && precision >= 0 && number_of(amount.digits) % 8 != 0;
    }
    return amount.exponent >= kFinest && amount.exponent % 3 == 0 &&
           !amount.digits.ends_with("000");
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
    const bool is_binary = amount->format == Format::Binary;
    if (keeps_its_spelling(*amount) || (is_binary && amount->digits.size() > kMaxDigits) ||
        amount->fraction > kMaxDigits) {
        return std::string(text);
    }
    const std::string canonical =
        is_binary ? binary_text(*amount)
                  : decimal_text(amount->digits, amount->exponent, amount->format);
    return canonical.empty() ? std::string(text)
                             : fmt::format("{}{}", amount->negative ? "-" : "", canonical);
}

std::optional<std::int64_t> whole_number(const Value& value) {
    if (!value.is_number()) {
        return std::nullopt;
    }
    if (const std::optional<std::int64_t> number = value.as_int()) {
        return number;
    }
    std::string digits(value.text());
    std::erase(digits, '_');
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const char* end = digits.data() + digits.size();
    double number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number);
    constexpr double kLimit = 9e18;
    const bool is_whole = error == std::errc() && stop == end && std::trunc(number) == number &&
                          std::abs(number) < kLimit;
    return is_whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

std::optional<std::string> canonical_amount(const Value& value) {
    if (value.is_string()) {
        return canonical_quantity(value.text());
    }
    const std::optional<std::int64_t> number = whole_number(value);
    return number ? canonical_quantity(fmt::format("{}", *number)) : std::nullopt;
}

}  // namespace renderer::inline kube
