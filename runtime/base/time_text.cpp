#include "runtime/base/time_text.h"

#include <fmt/format.h>

#include <charconv>

namespace runtime::inline base {

namespace {

struct Parts {
    std::chrono::year_month_day date;
    std::chrono::hh_mm_ss<Duration> clock;
};

Parts parts_of(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<Duration>(time - day)};
}

std::string format(Time time, std::string_view fraction) {
    const Parts parts = parts_of(time);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z",
                       static_cast<int>(parts.date.year()),
                       static_cast<unsigned>(parts.date.month()),
                       static_cast<unsigned>(parts.date.day()), parts.clock.hours().count(),
                       parts.clock.minutes().count(), parts.clock.seconds().count(), fraction);
}

// Reads the text from front to back.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    std::optional<int> digits(std::size_t count) {
        int value = 0;
        if (rest_.size() < count) {
            return std::nullopt;
        }
        const char* end = rest_.data() + count;
        if (const auto [stop, error] = std::from_chars(rest_.data(), end, value);
            error != std::errc() || stop != end || rest_[0] == '-') {
            return std::nullopt;
        }
        rest_.remove_prefix(count);
        return value;
    }

    bool take(char wanted) {
        if (rest_.empty() || rest_[0] != wanted) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    // Reads the digits of a fraction and returns the first three as milliseconds. No value if there
    // is no digit.
    std::optional<int> milliseconds() {
        int value = 0;
        std::size_t count = 0;
        for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; ++count) {
            value = count < 3 ? value * 10 + (rest_[0] - '0') : value;
            rest_.remove_prefix(1);
        }
        if (count == 0) {
            return std::nullopt;
        }
        for (; count < 3; ++count) {
            value *= 10;
        }
        return value;
    }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

std::optional<std::chrono::minutes> parse_zone(Reader& reader) {
    if (reader.take('Z')) {
        return std::chrono::minutes(0);
    }
    const bool minus = reader.take('-');
    if (!minus && !reader.take('+')) {
        return std::nullopt;
    }
    const auto hours = reader.digits(2);
    if (!hours || !reader.take(':')) {
        return std::nullopt;
    }
    const auto minutes = reader.digits(2);
    if (!minutes) {
        return std::nullopt;
    }
    const std::chrono::minutes east(*hours * 60 + *minutes);
    return minus ? -east : east;
}

}  // namespace

std::string format_seconds(Time time) {
    return format(time, "");
}

std::string format_microseconds(Time time) {
    return format(time, fmt::format(".{:03}000", parts_of(time).clock.subseconds().count()));
}

std::optional<Time> parse_time(std::string_view text) {
    Reader reader(text);
    int fields[6] = {};
    constexpr std::string_view kBehind = "--T::";
    for (std::size_t i = 0; i < 6; ++i) {
        const auto value = reader.digits(i == 0 ? 4 : 2);
        if (!value || (i < kBehind.size() && !reader.take(kBehind[i]))) {
            return std::nullopt;
        }
        fields[i] = *value;
    }
    int milliseconds = 0;
    if (reader.take('.')) {
        const auto fraction = reader.milliseconds();
        if (!fraction) {
            return std::nullopt;
        }
        milliseconds = *fraction;
    }
    const auto zone = parse_zone(reader);
    const std::chrono::year_month_day date{std::chrono::year{fields[0]},
                                           std::chrono::month{static_cast<unsigned>(fields[1])},
                                           std::chrono::day{static_cast<unsigned>(fields[2])}};
    if (!zone || !reader.at_end() || !date.ok() || fields[3] > 23 || fields[4] > 59 ||
        fields[5] > 60) {
        return std::nullopt;
    }
    return std::chrono::sys_days(date) + std::chrono::hours(fields[3]) +
           std::chrono::minutes(fields[4]) + std::chrono::seconds(fields[5]) +
           Duration(milliseconds) - *zone;
}

std::optional<Duration> age_of(const std::optional<Time>& time, Time now) {
    constexpr Duration kTolerance = std::chrono::minutes(1);
    return time.has_value() && now - *time >= -kTolerance ? std::optional(now - *time)
                                                          : std::nullopt;
}

}  // namespace runtime::inline base
