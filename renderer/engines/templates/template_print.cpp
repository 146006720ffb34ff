#include "renderer/engines/templates/template_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/engines/templates/go_number.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kLongestPrinted = 1U << 20U;
constexpr int kDeepestPrinted = 60;
constexpr int kWidest = 1000;  // of a width or precision

// Scripts in which names are commonly written. Each code point in these ranges was assigned in old
// versions of Unicode.
constexpr std::array<std::pair<char32_t, char32_t>, 12> kCommon = {{{0x20, 0x7E},
                                                                    {0xA1, 0xAC},
                                                                    {0xAE, 0x2FF},
                                                                    {0x388, 0x38A},
                                                                    {0x38E, 0x3A1},
                                                                    {0x3A3, 0x3FF},
                                                                    {0x400, 0x482},
                                                                    {0x3041, 0x3096},
                                                                    {0x30A1, 0x30FF},
                                                                    {0x4E00, 0x9FA5},
                                                                    {0xAC00, 0xD7A3},
                                                                    {0x1F600, 0x1F64F}}};

struct Flags {
    bool has_sharp = false, has_zero = false, has_plus = false, has_minus = false,
         has_space = false;
    std::optional<int> width = {}, precision = {};
};

// Prints one value with one verb.
class Printer {
public:
    Printer(Flags flags, std::string& out) : flags_(flags), out_(out) {}

    bool run(const GoValue& value, char verb) {
        value_of(value, verb, 0);
        return is_known_;
    }

private:
    void refuse() { is_known_ = false; }

    void padded(std::string_view text, bool may_be_zeros) {
        const auto width = static_cast<std::size_t>(flags_.width.value_or(0));
        if (find_bad_utf8(text) != std::string_view::npos && width > 0) {
            refuse();
        }
        const std::size_t size = count_characters(text);
        const std::size_t missing = width > size ? width - size : 0;
        const bool has_zeros = flags_.has_zero && !flags_.has_minus && may_be_zeros;
        out_.append(flags_.has_minus ? 0 : missing, has_zeros ? '0' : ' ');
        out_ += text;
        out_.append(flags_.has_minus ? missing : 0, ' ');
    }

    void value_of(const GoValue& value, char verb, int depth) {
        if (depth > kDeepestPrinted || out_.size() > kLongestPrinted) {
            refuse();
        }
        if (!is_known_) {
            return;
        }
        if (verb == 'T' && depth == 0) {
            return value.element() == GoElement::Unsure ? refuse() : text_by(type_of(value));
        }
        switch (value.kind()) {
            case GoKind::Missing:
            case GoKind::Nil:
                return nothing(verb, depth);
            case GoKind::Bool:
                return verb == 't' || verb == 'v' ? padded(value.flag() ? "true" : "false", true)
                                                  : bad_verb(value, verb, depth);
            case GoKind::Int:
            case GoKind::Int64:
                return integer(value, verb, depth);
            case GoKind::Float:
                return real(value, verb, depth);
            case GoKind::Text:
                return text(value, verb, depth);
            case GoKind::List:
                return list(value, verb, depth);
            case GoKind::Map:
                return map(value, verb, depth);
            case GoKind::Unset:
            case GoKind::Odd:
                return refuse();
        }
    }

    void nothing(char verb, int depth) {
        if (depth > 0) {
            out_ += "<nil>";
        } else if (verb == 'v' || verb == 'T') {
            padded("<nil>", true);
        } else {
            out_ += fmt::format("%!{}(<nil>)", verb);
        }
    }

    void bad_verb(const GoValue& value, char verb, int depth) {
        out_ += fmt::format("%!{}({}=", verb, type_of(value));
        value_of(value, 'v', depth + 1);
        out_ += ')';
    }

    void text_by(std::string_view text) {
        std::size_t end = text.size();
        if (flags_.precision) {
            std::size_t left = static_cast<std::size_t>(*flags_.precision);
            for (end = 0; end < text.size() && left > 0; --left) {
                end += front_character(text.substr(end)).size;
            }
        }
        padded(text.substr(0, end), true);
    }

    void text(const GoValue& value, char verb, int depth) {
        if (verb == 'v' || verb == 's') {
            return text_by(value.text());
        }
        if (verb == 'q' && !flags_.has_sharp && !flags_.has_plus && !flags_.precision) {
            const std::optional<std::string> made = go_quoted(value.text());
            return made ? padded(*made, true) : refuse();
        }
        const bool is_plain = !flags_.has_sharp && !flags_.has_space && !flags_.has_zero &&
                              !flags_.precision && !flags_.width;
        if ((verb == 'x' || verb == 'X') && is_plain) {
            for (const char c : value.text()) {
                const auto byte = static_cast<unsigned char>(c);
                out_ += verb == 'x' ? fmt::format("{:02x}", byte) : fmt::format("{:02X}", byte);
            }
            return;
        }
        return verb == 'q' || verb == 'x' || verb == 'X' ? refuse() : bad_verb(value, verb, depth);
    }

    void integer(const GoValue& value, char verb, int depth) {
        const std::int64_t number = value.whole();
        if (verb == 'c' && number >= 0x20 && number < 0x7F) {
            return padded(std::string(1, static_cast<char>(number)), true);
        }
        if (verb == 'c' || verb == 'q' || verb == 'U' || flags_.has_sharp) {
            return refuse();
        }
        const auto size =
            static_cast<std::uint64_t>(number < 0 ? ~number : number) + (number < 0 ? 1U : 0U);
        std::string digits = verb == 'v' || verb == 'd'   ? fmt::format("{}", size)
                             : verb == 'b'                ? fmt::format("{:b}", size)
                             : verb == 'o' || verb == 'O' ? fmt::format("{:o}", size)
                             : verb == 'x'                ? fmt::format("{:x}", size)
                             : verb == 'X'                ? fmt::format("{:X}", size)
                                                          : std::string();
        if (digits.empty()) {
            return bad_verb(value, verb, depth);
        }
        const bool has_sign = number < 0 || flags_.has_plus || flags_.has_space;
        int least = flags_.precision.value_or(0);
        if (flags_.precision == 0 && number == 0) {
            out_.append(static_cast<std::size_t>(flags_.width.value_or(0)), ' ');
            return;
        }
        if (!flags_.precision && flags_.has_zero && !flags_.has_minus && flags_.width) {
            least = *flags_.width - (has_sign ? 1 : 0);
        }
        if (static_cast<int>(digits.size()) < least) {
            digits.insert(0, static_cast<std::size_t>(least) - digits.size(), '0');
        }
        digits.insert(0, verb == 'O' ? "0o" : "");
        digits.insert(0, number < 0 ? "-" : flags_.has_plus ? "+" : flags_.has_space ? " " : "");
        padded(digits, false);
    }

    void real(const GoValue& value, char verb, int depth) {
        const bool is_known = std::string_view("vgGeEfF").find(verb) != std::string_view::npos;
        if (!is_known && verb != 'b' && verb != 'x' && verb != 'X') {
            return bad_verb(value, verb, depth);
        }
        if (!is_known || flags_.has_sharp || !std::isfinite(value.real())) {
            return refuse();
        }
        const bool is_general = verb == 'v' || verb == 'g' || verb == 'G';
        std::string digits;
        if (is_general && !flags_.precision) {
            digits = shortest(value.real());
            std::ranges::replace(digits, 'e', verb == 'G' ? 'E' : 'e');
        } else {
            digits = by_precision(value.real(), verb == 'v' ? 'g' : verb == 'F' ? 'f' : verb);
        }
        const bool is_negative = digits.starts_with('-');
        const std::string sign = is_negative        ? "-"
                                 : flags_.has_plus  ? "+"
                                 : flags_.has_space ? " "
                                                    : "";
        digits.erase(0, is_negative ? 1 : 0);
        const auto width = static_cast<std::size_t>(flags_.width.value_or(0));
        if (flags_.has_zero && !flags_.has_minus && width > digits.size() + sign.size()) {
            digits.insert(0, width - digits.size() - sign.size(), '0');
        }
        padded(sign + digits, false);
    }

    std::string by_precision(double number, char verb) {
        const std::array<char, 5> format = {'%', '.', '*', verb, '\0'};
        std::array<char, 2048> buffer{};
        const int size = std::snprintf(buffer.data(), buffer.size(), format.data(),
                                       flags_.precision.value_or(6), number);
        return {buffer.data(), static_cast<std::size_t>(size)};
    }

    void list(const GoValue& value, char verb, int depth) {
        if (value.list() != nullptr && value.list()->is_unordered) {
            return refuse();
        }
        out_ += '[';
        bool is_first = true;
        for (const GoValue& item : value.items()) {
            out_ += std::exchange(is_first, false) ? "" : " ";
            value_of(item, verb, depth + 1);
        }
        out_ += ']';
    }

    void map(const GoValue& value, char verb, int depth) {
        out_ += "map[";
        bool is_first = true;
        if (value.map() != nullptr) {
            for (const auto& [key, item] : value.map()->entries()) {
                out_ += std::exchange(is_first, false) ? "" : " ";
                value_of(GoValue::text(key), verb, depth + 1);
                out_ += ':';
                value_of(item, verb, depth + 1);
            }
        }
        out_ += ']';
    }

    Flags flags_;
    std::string& out_;
    bool is_known_ = true;
};

class Formatter {
public:
    Formatter(std::string_view format, std::span<const GoValue> arguments)
        : format_(format), arguments_(arguments) {}

    std::optional<std::string> run() {
        while (at_ < format_.size()) {
            const std::size_t mark = std::min(format_.find('%', at_), format_.size());
            out_ += format_.substr(at_, mark - at_);
            at_ = mark + 1;
            if (mark < format_.size() && !verb()) {
                return std::nullopt;
            }
        }
        return rest() && out_.size() <= kLongestPrinted ? std::optional(std::move(out_))
                                                        : std::nullopt;
    }

private:
    [[nodiscard]] char front() const { return at_ < format_.size() ? format_[at_] : '\0'; }

    // Reads a number. Returns false if it is too large.
    bool number(std::optional<int>& into) {
        while (is_digit(front())) {
            into = into.value_or(0) * 10 + (format_[at_++] - '0');
            if (*into > kWidest) {
                return false;
            }
        }
        return true;
    }

    bool verb() {
        Flags flags;
        for (; std::string_view("#0+- ").find(front()) != std::string_view::npos; ++at_) {
            const char flag = front();
            flags.has_sharp |= flag == '#';
            flags.has_zero |= flag == '0';
            flags.has_plus |= flag == '+';
            flags.has_minus |= flag == '-';
            flags.has_space |= flag == ' ';
        }
        if (!number(flags.width)) {
            return false;
        }
        if (front() == '.') {
            ++at_;
            flags.precision = 0;
            if (!number(flags.precision)) {
                return false;
            }
            if (at_ == format_.size()) {
                return false;
            }
        }
        if (at_ == format_.size()) {
            out_ += "%!(NOVERB)";
            return true;
        }
        const char verb = format_[at_++];
        if (verb == '%') {
            out_ += '%';
            return true;
        }
        if (!is_letter(verb) || verb == 'w' || verb == 'p') {
            return false;
        }
        if (next_ == arguments_.size()) {
            out_ += fmt::format("%!{}(MISSING)", verb);
            return true;
        }
        if (verb == 'v') {
            if (flags.has_sharp) {
                return false;
            }
            flags.has_plus = false;
        }
        return Printer(flags, out_).run(arguments_[next_++], verb);
    }

    // Appends the arguments that have no verb.
    bool rest() {
        if (next_ == arguments_.size()) {
            return true;
        }
        out_ += "%!(EXTRA ";
        bool is_known = true;
        for (std::size_t i = next_; i < arguments_.size(); ++i) {
            const GoValue& value = arguments_[i];
            out_ += i > next_ ? ", " : "";
            out_ += value.is_nothing() ? std::string() : fmt::format("{}=", type_of(value));
            is_known = value.element() != GoElement::Unsure && is_known &&
                       Printer({}, out_).run(value, 'v');
        }
        out_ += ')';
        return is_known;
    }

    std::string_view format_;
    std::span<const GoValue> arguments_;
    std::size_t at_ = 0;
    std::size_t next_ = 0;
    std::string out_;
};

}  // namespace

std::optional<std::string> printed(const GoValue& value) {
    std::string out;
    return Printer({}, out).run(value, 'v') ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> go_quoted(std::string_view text) {
    constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\"\\";
    constexpr std::string_view kLetters = "abfnrtv\"\\";
    std::string out = "\"";
    while (!text.empty()) {
        const FrontCharacter front = front_character(text);
        const std::size_t known = kEscaped.find(text[0]);
        if (known != std::string_view::npos) {
            out += {'\\', kLetters[known]};
        } else if (!front.is_good || front.code < 0x20 || front.code == 0x7F) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        } else if (front.is_common) {
            out += text.substr(0, front.size);
        } else {
            return std::nullopt;
        }
        text.remove_prefix(front.size);
    }
    return out + "\"";
}

std::optional<std::string> formatted(std::string_view format, std::span<const GoValue> arguments) {
    return Formatter(format, arguments).run();
}

FrontCharacter front_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    if (text.size() < size || find_bad_utf8(text.substr(0, size)) != std::string_view::npos) {
        return {.size = 1, .code = 0xFFFD};
    }
    constexpr std::array<unsigned, 5> kMasks = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = byte(0) & kMasks[size];
    for (std::size_t i = 1; i < size; ++i) {
        code = code << 6U | (byte(i) & 0x3FU);
    }
    const bool is_common = std::ranges::any_of(
        kCommon, [&](const auto& range) { return code >= range.first && code <= range.second; });
    return {.size = size, .code = code, .is_good = true, .is_common = is_common};
}

void append_character(char32_t code, std::string& out) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
    } else if (code < 0x10000) {
        out += {static_cast<char>(0xE0U | code >> 12U),
                static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
                static_cast<char>(0x80U | (code & 0x3FU))};
    } else {
        out += {static_cast<char>(0xF0U | code >> 18U),
                static_cast<char>(0x80U | (code >> 12U & 0x3FU)),
                static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
                static_cast<char>(0x80U | (code & 0x3FU))};
    }
}

}  // namespace renderer::engines
