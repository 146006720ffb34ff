#include "renderer/engines/templates/template_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/engines/templates/go_number.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kBestWidth = 80;
constexpr std::size_t kLongestKey = 128;
constexpr std::size_t kLongestYaml = 1U << 20U;
constexpr int kDeepestYaml = 50;

constexpr std::array<std::string_view, 39> kWordsOfOthers = {
    "y",    "Y",    "yes",   "Yes",   "YES",   "true",  "True",  "TRUE",  "on",    "On",
    "ON",   "n",    "N",     "no",    "No",    "NO",    "false", "False", "FALSE", "off",
    "Off",  "OFF",  "~",     "null",  "Null",  "NULL",  ".nan",  ".NaN",  ".NAN",  ".inf",
    ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ""};

bool are_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

// True for dates such as `2001-1-2`. Returns nothing if only Go can tell.
std::optional<bool> is_date(std::string_view text) {
    if (text.size() < 5 || !are_digits(text.substr(0, 4)) || text[4] != '-') {
        return false;
    }
    const std::size_t dash = text.find('-', 5);
    if (dash == std::string_view::npos || !are_digits(text.substr(5, dash - 5))) {
        return false;
    }
    const std::string_view day = text.substr(dash + 1);
    if (!are_digits(day)) {  // a time may follow
        return day.find_first_of(" tT:") == std::string_view::npos ? std::optional(false)
                                                                   : std::nullopt;
    }
    if (dash > 7 || day.size() > 2) {
        return false;
    }
    const auto number = [](std::string_view digits) { return parse_integer(digits, false).value; };
    const auto date = std::chrono::year(static_cast<int>(number(text.substr(0, 4)))) /
                      static_cast<int>(number(text.substr(5, dash - 5))) /
                      static_cast<int>(number(day));
    return date.ok();
}

// True for sexagesimal numbers such as `12:30:45.5`.
bool is_sexagesimal(std::string_view text) {
    text.remove_prefix(text[0] == '-' || text[0] == '+' ? 1 : 0);
    const std::size_t point = text.find('.');
    if (point != std::string_view::npos &&
        text.find_first_not_of("0123456789_", point + 1) != std::string_view::npos) {
        return false;
    }
    std::string_view rest = text.substr(0, point);
    const std::string_view first = take(rest, ':');
    if (first.size() >= text.substr(0, point).size() || first.empty() || !is_digit(first[0]) ||
        first.find_first_not_of("0123456789_") != std::string_view::npos || rest.ends_with(':')) {
        return false;
    }
    const std::vector<std::string_view> parts = split(rest, ':');
    return !parts.empty() && std::ranges::all_of(parts, [](std::string_view part) {
        return are_digits(part) && part.size() <= 2 && (part.size() == 1 || part[0] <= '5');
    });
}

// Returns nothing if only Go can tell.
std::optional<bool> is_number(std::string_view text) {
    std::string digits(text);
    std::erase(digits, '_');
    const GoInteger whole = parse_integer(digits, true);
    const bool is_far = whole.fault == GoInteger::Fault::Range;
    const bool is_binary = digits.starts_with("0b") || digits.starts_with("-0b");
    if ((is_binary && whole.fault != GoInteger::Fault::None) ||
        (is_far && parse_integer(digits, false).fault != whole.fault) ||
        (text[0] == '.' && digits.size() != text.size())) {
        return std::nullopt;
    }
    return whole.fault != GoInteger::Fault::Syntax || parse_real(digits).value;
}

// Compares in natural order: `a2` before `a10`, letters last.
bool comes_before(std::string_view one, std::string_view other) {
    const std::size_t size = std::min(one.size(), other.size());
    std::size_t at = 0;
    while (at < size && one[at] == other[at]) {
        ++at;
    }
    if (at == size) {
        return one.size() < other.size();
    }
    const bool is_one_letter = is_letter(one[at]);
    const bool is_other_letter = is_letter(other[at]);
    if (is_one_letter || is_other_letter) {
        return is_one_letter && is_other_letter ? one[at] < other[at] : is_other_letter;
    }
    std::int64_t start = 0;  // the digits before it count if zeros follow
    if (one[at] == '0' || other[at] == '0') {
        for (std::size_t i = at; i > 0 && is_digit(one[i - 1]) && start == 0; --i) {
            start = one[i - 1] != '0' ? 1 : 0;
        }
    }
    const auto number_at = [&](std::string_view text) {
        std::pair<std::int64_t, std::size_t> found = {start, at};
        for (; found.second < text.size() && is_digit(text[found.second]); ++found.second) {
            found.first = found.first * 10 + (text[found.second] - '0');
        }
        return found;
    };
    const auto of_one = number_at(one);
    const auto of_other = number_at(other);
    return of_one != of_other ? of_one < of_other : one[at] < other[at];
}

// The styles that the characters of a text allow.
struct Allowed {
    bool plain = true, single_quotes = true, block = true;
};

enum class Seen : std::uint8_t { Other, Space, Break };

Allowed allowed_for(std::string_view text) {
    Allowed out;
    out.plain = !text.starts_with("---") && !text.starts_with("...");
    Seen before = Seen::Other;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 < text.size() ? text[i + 1] : ' ';
        const bool is_before_blank = next == ' ' || next == '\t';
        const bool is_behind_blank =
            i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t' || text[i - 1] == '\n';
        const bool is_first_mark =
            i == 0 &&
            (std::string_view("#,[]{}&*!|>'\"%@`").find(c) != std::string_view::npos ||
             (std::string_view("?-").find(c) != std::string_view::npos && is_before_blank));
        if (is_first_mark || (c == ':' && is_before_blank) || (c == '#' && is_behind_blank)) {
            out.plain = false;
        }
        const auto byte = static_cast<unsigned char>(c);
        const bool is_special = (byte < 0x20 && c != '\n') || byte == 0x7F || byte >= 0xF0;
        const Seen now = c == ' ' ? Seen::Space : c == '\n' ? Seen::Break : Seen::Other;
        const bool is_end = i == 0 || i + 1 == text.size();
        if (is_special || (now == Seen::Break && before == Seen::Space)) {
            out = {.plain = false, .single_quotes = false, .block = false};
        }
        if (now == Seen::Break || (now == Seen::Space && is_end)) {
            out.plain = false;
        }
        if (now == Seen::Space && before == Seen::Break) {
            out.single_quotes = false;
        }
        if (now == Seen::Space && i + 1 == text.size()) {
            out.block = false;
        }
        before = now;
    }
    return out;
}

class GoEmitter {
public:
    std::optional<std::string> run(const GoValue& value) {
        node(value, 0, 0, false);
        if (!out_.ends_with('\n')) {
            out_ += '\n';
        }
        return is_known_ ? std::optional(std::move(out_)) : std::nullopt;
    }

private:
    void refuse() { is_known_ = false; }

    [[nodiscard]] std::size_t column() const {
        std::size_t columns = 0;
        for (std::size_t i = out_.size(); i > 0 && out_[i - 1] != '\n'; --i) {
            columns += (static_cast<unsigned char>(out_[i - 1]) & 0xC0U) != 0x80U ? 1 : 0;
        }
        return columns;
    }

    void line(std::size_t indent) {
        if (!out_.empty() && !out_.ends_with('\n')) {
            out_ += '\n';
        }
        out_.append(indent, ' ');
    }

    // `is_inline`: after `- `, on whose line the first entry may start.
    void node(const GoValue& value, std::size_t indent, int depth, bool is_inline) {
        if (depth > kDeepestYaml || out_.size() > kLongestYaml) {
            refuse();
        }
        if (!is_known_) {
            return;
        }
        if (value.is_list() && value.size() > 0) {
            return list(value, indent, depth, is_inline);
        }
        if (value.is_map() && value.size() > 0) {
            return map(value, indent, depth, is_inline);
        }
        leaf(value, indent);
    }

    void list(const GoValue& value, std::size_t indent, int depth, bool is_inline) {
        if (value.list()->is_unordered) {
            return refuse();
        }
        for (const GoValue& item : value.items()) {
            if (!std::exchange(is_inline, false)) {
                line(indent);
            }
            out_ += "- ";
            const bool is_leaf = !(item.is_list() || item.is_map()) || item.size() == 0;
            node(item, is_leaf ? indent : indent + 2, depth + 1, true);
        }
    }

    using Entries = std::vector<std::pair<std::string_view, const GoValue*>>;

    // True if the order of the keys is unambiguous. The comparison is not transitive: `1x` comes
    // before `2B`, `2B` before `110`, and `110` before `1x`. Then the order that Go writes differs
    // between runs.
    static bool are_in_order(const Entries& entries) {
        constexpr std::size_t kMostChecked = 300;
        const auto has_digit = [](const auto& entry) {
            return entry.first.find_first_of("0123456789") != std::string_view::npos;
        };
        if (std::ranges::none_of(entries, has_digit)) {
            return true;
        }
        for (std::size_t i = 0; i < entries.size() && entries.size() <= kMostChecked; ++i) {
            for (std::size_t k = i + 1; k < entries.size(); ++k) {
                if (!comes_before(entries[i].first, entries[k].first)) {
                    return false;
                }
            }
        }
        return entries.size() <= kMostChecked;
    }

    void map(const GoValue& value, std::size_t indent, int depth, bool is_inline) {
        Entries entries;
        for (const auto& [key, one] : value.map()->entries()) {
            const bool is_plain =
                std::ranges::all_of(key, [](char c) { return c >= ' ' && c < '\x7F'; });
            const bool has_long_number =
                key.find_first_of("0123456789") != std::string::npos && key.size() > 17;
            if ((!is_plain && value.size() > 1) || key.size() > kLongestKey || has_long_number ||
                key.find('\n') != std::string::npos) {
                return refuse();
            }
            entries.emplace_back(key, &one);
        }
        std::ranges::stable_sort(entries, [](const auto& one, const auto& other) {
            return comes_before(one.first, other.first);
        });
        if (!are_in_order(entries)) {
            return refuse();
        }
        for (const auto& [key, one] : entries) {
            if (!std::exchange(is_inline, false)) {
                line(indent);
            }
            text(key, indent, true);
            out_ += ':';
            const bool is_block = (one->is_list() || one->is_map()) && one->size() > 0;
            if (!is_block) {
                out_ += ' ';
            }
            node(*one, one->is_list() || !is_block ? indent : indent + 2, depth + 1, false);
        }
    }

    void leaf(const GoValue& value, std::size_t indent) {
        switch (value.kind()) {
            case GoKind::Missing:
            case GoKind::Nil:
                out_ += "null";
                break;
            case GoKind::Bool:
                out_ += value.flag() ? "true" : "false";
                break;
            case GoKind::Int:
            case GoKind::Int64:
                out_ += fmt::format("{}", value.whole());
                break;
            case GoKind::Float:
                number(value.real());
                break;
            case GoKind::Text:
                text(value.text(), indent, false);
                break;
            case GoKind::List:
                out_ += value.list() == nullptr ? "null" : "[]";
                break;
            case GoKind::Map:
                out_ += value.map() == nullptr ? "null" : "{}";
                break;
            case GoKind::Unset:
            case GoKind::Odd:
                refuse();
                break;
        }
    }

    // sigs.k8s.io/yaml converts to JSON first and reads its whole numbers as integers.
    void number(double number) {
        const std::string json = json_spelling_of(number);
        const bool is_whole = json.find_first_of(".e") == std::string::npos;
        const bool fits = number >= -9223372036854775808.0 && number < 18446744073709551616.0;
        out_ += json == "-0" ? "0" : is_whole && fits ? json : shortest(number);
    }

    void text(std::string_view text, std::size_t indent, bool is_key) {
        if (!is_common(text)) {
            return refuse();
        }
        const std::optional<bool> is_text = is_plain_text(text);
        if (!is_text) {
            return refuse();
        }
        const Allowed allowed = allowed_for(text);
        const bool has_lines = text.find('\n') != std::string_view::npos;
        if (has_lines && allowed.block && !is_key) {
            return block(text, indent + 2);
        }
        if (has_lines || !*is_text || (!allowed.plain && !allowed.single_quotes)) {
            return in_double_quotes(text, indent + 2, is_key);
        }
        in_one_line(text, indent + 2, is_key, allowed.plain ? "" : "'");
    }

    static bool is_common(std::string_view text) {
        while (!text.empty()) {
            const FrontCharacter front = front_character(text);
            const bool is_control = front.size == 1 && front.code < 0x20;
            if (!front.is_good || (!front.is_common && !is_control)) {
                return false;
            }
            text.remove_prefix(front.size);
        }
        return true;
    }

    void block(std::string_view text, std::size_t indent) {
        out_ += '|';
        out_ += text[0] == ' ' || text[0] == '\n' ? "2" : "";
        out_ += !text.ends_with('\n') ? "-" : text == "\n" || text.ends_with("\n\n") ? "+" : "";
        out_ += '\n';
        bool is_start = true;
        for (const char c : text) {
            if (c != '\n' && is_start) {
                out_.append(indent, ' ');
            }
            is_start = c == '\n';
            out_ += c;
        }
    }

    // Writes a plain or single-quoted scalar.
    void in_one_line(std::string_view text, std::size_t indent, bool is_key,
                     std::string_view mark) {
        out_ += mark;
        bool is_behind_space = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool is_space = text[i] == ' ';
            const bool is_inside = mark.empty() || (i > 0 && i + 1 < text.size());
            if (is_space && !is_key && !is_behind_space && is_inside &&
                text.substr(i + 1, 1) != " " && column() > kBestWidth) {
                line(indent);
            } else {
                out_ += text[i] == '\'' && !mark.empty() ? "''" : std::string(1, text[i]);
            }
            is_behind_space = is_space;
        }
        out_ += mark;
    }

    void in_double_quotes(std::string_view text, std::size_t indent, bool is_key) {
        constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\x1B\"\\";
        constexpr std::string_view kLetters = "abtnvfre\"\\";
        out_ += '"';
        bool is_behind_space = false;
        for (std::size_t i = 0; i < text.size();) {
            const FrontCharacter front = front_character(text.substr(i));
            const std::size_t known = kEscaped.find(text[i]);
            const bool is_space = text[i] == ' ';
            if (known != std::string_view::npos) {
                out_ += {'\\', kLetters[known]};
            } else if (front.code == 0) {
                out_ += "\\0";
            } else if (front.code < 0x20) {
                out_ += fmt::format("\\x{:02X}", static_cast<unsigned>(front.code));
            } else if (front.code > 0xFFFF) {
                out_ += fmt::format("\\U{:08X}", static_cast<unsigned>(front.code));
            } else if (is_space && !is_key && !is_behind_space && i > 0 && i + 1 < text.size() &&
                       column() > kBestWidth) {
                line(indent);
                out_ += text[i + 1] == ' ' ? "\\" : "";
            } else {
                out_ += text.substr(i, front.size);
            }
            is_behind_space = is_space;
            i += front.size;
        }
        out_ += '"';
    }

    std::string out_;
    bool is_known_ = true;
};

}  // namespace

std::optional<std::string> go_yaml(const GoValue& value) {
    return GoEmitter().run(value);
}

std::optional<bool> is_plain_text(std::string_view text) {
    if (std::ranges::find(kWordsOfOthers, text) != kWordsOfOthers.end()) {
        return false;
    }
    const char first = text[0];
    if (!is_digit(first) && first != '+' && first != '-' && first != '.') {
        return true;
    }
    const std::optional<bool> date = is_date(text);
    const std::optional<bool> number = is_number(text);
    if (!date || !number || text.size() > 300) {
        return std::nullopt;
    }
    return !*date && !*number && !is_sexagesimal(text);
}

}  // namespace renderer::engines
