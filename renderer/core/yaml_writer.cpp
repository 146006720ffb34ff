#include "renderer/core/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/plain_scalar.h"
#include "renderer/core/quoted_scalar.h"

namespace renderer::inline core {

namespace {

constexpr std::array<std::string_view, 3> kObjectOrder = {"apiVersion", "kind", "metadata"};
constexpr std::array<std::string_view, 4> kMetadataOrder = {"name", "namespace", "labels",
                                                            "annotations"};

// The role of a map, for the order of its keys.
enum class Level : std::uint8_t { Object, Metadata, Other };

template <std::size_t N>
std::size_t rank_in(const std::array<std::string_view, N>& order, std::string_view key) {
    return static_cast<std::size_t>(std::ranges::find(order, key) - order.begin());
}

std::size_t rank(Level level, std::string_view key) {
    switch (level) {
        case Level::Object:
            return rank_in(kObjectOrder, key);
        case Level::Metadata:
            return rank_in(kMetadataOrder, key);
        case Level::Other:
            break;
    }
    return 0;
}

// Orders like the strings themselves: the first byte counts most, and missing bytes are lowest.
std::uint64_t head_of(std::string_view text) {
    constexpr std::size_t kBytes = 8;
    std::uint64_t head = 0;
    if (text.size() >= kBytes) {
        for (std::size_t i = 0; i < kBytes; ++i) {  // the compiler makes this one load
            head = head << 8U | static_cast<unsigned char>(text[i]);
        }
        return head;
    }
    for (const char byte : text) {
        head = head << 8U | static_cast<unsigned char>(byte);
    }
    return text.empty() ? 0 : head << 8U * (kBytes - text.size());
}

bool is_plain_start(char c) {
    return is_letter(c) || c == '/' || c == '_' || c == '$' || c == '(' ||
           (static_cast<unsigned char>(c) >= 0x80);
}

// What a byte inside a scalar requires.
enum Inner : std::uint8_t { kQuotes = 1, kLook = 2, kNotAscii = 4 };

constexpr std::array<std::uint8_t, 256> kInner = [] {
    std::array<std::uint8_t, 256> bytes{};
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
        bytes[byte] = byte < 0x20 || byte == 0x7F ? kQuotes : byte >= 0x80 ? kNotAscii : 0;
    }
    for (const char c : std::string_view(",[]{}")) {
        bytes[static_cast<unsigned char>(c)] = kQuotes;
    }
    bytes[' '] = bytes[':'] = kLook;
    return bytes;
}();

// True for text that begins like a number. Some YAML 1.1 readers take such text for a number or a
// date although ours does not: sexagesimal numbers (12:30), dates (2001-01-01), numbers with
// underscores or signs.
bool looks_numeric(std::string_view text) {
    const char first = text.front();
    return is_digit(first) || first == '+' || first == '-' || first == '.';
}

// U+0085, U+2028, U+2029 and U+FEFF are line breaks or the byte order mark to some readers.
bool has_odd_unicode(std::string_view text) {
    return text.find('\xC2') != std::string_view::npos ||
           text.find("\xE2\x80") != std::string_view::npos ||
           text.find("\xEF\xBB\xBF") != std::string_view::npos ||
           text.find("\xEF\xBF") != std::string_view::npos;
}

void write_escape(char byte, std::string& out) {
    constexpr std::string_view kBytes = "\n\t\r";
    constexpr std::string_view kLetters = "ntr";
    const std::size_t known = kBytes.find(byte);
    if (known == std::string_view::npos) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
        out += {'\\', kLetters[known]};
    }
}

// Returns the code point of a well-formed sequence of two or three bytes at text[i] if it must be
// escaped, else 0.
unsigned odd_code_point(std::string_view text, std::size_t i, std::size_t& length) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    if (byte(0) == 0xC2 && i + 1 < text.size() && byte(1) < 0xA1) {
        length = 2;
        return byte(1);
    }
    if (i + 2 < text.size() && (byte(0) == 0xE2 || byte(0) == 0xEF)) {
        length = 3;
        const unsigned code =
            ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
        if (code == 0x2028 || code == 0x2029 || code == 0xFEFF || code >= 0xFFFE) {
            return code;
        }
    }
    return 0;
}

void write_quoted(std::string_view text, std::string& out) {
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        std::size_t length = 1;
        if (byte == '"' || byte == '\\') {
            out += '\\';
            out += text[i];
        } else if (byte < 0x20 || byte == 0x7F) {
            write_escape(text[i], out);
        } else if (const unsigned code = byte < 0x80 ? 0 : odd_code_point(text, i, length)) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
            i += length - 1;
        } else {
            out += text[i];
        }
    }
    out += '"';
}

// A block scalar is exact only if all lines are printable and the first does not begin with a
// blank.
bool fits_block(std::string_view text) {
    if (text.find('\n') == std::string_view::npos || text.front() == ' ' || text.front() == '\n' ||
        text.front() == '\t' || has_odd_unicode(text)) {
        return false;
    }
    return std::ranges::none_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
    });
}

class YamlEmitter {
public:
    explicit YamlEmitter(std::string& out) : out_(out) {}

    void document(const Value& value) {
        if (value.is_map() && value.size() > 0) {
            map(value, 0, Level::Object, false);
        } else if (value.is_list() && value.size() > 0) {
            list(value, 0);
        } else {
            leaf(value, 0);
            out_ += '\n';
        }
    }

private:
    void indent(std::size_t columns) { out_.append(columns, ' '); }

    // `inlined`: the first key is on the current line, after "- ".
    void map(const Value& value, std::size_t column, Level level, bool inlined) {
        bool first = inlined;
        each_sorted(value, level, [&](const Member& member) {
            if (!first) {
                indent(column);
            }
            first = false;
            text(member.name());
            out_ += ':';
            const bool metadata = level == Level::Object && member.name() == "metadata";
            child(member.value, column, metadata ? Level::Metadata : Level::Other);
        });
    }

    void child(const Value& value, std::size_t column, Level level) {
        if (value.is_map() && value.size() > 0) {
            out_ += '\n';
            map(value, column + 2, level, false);
        } else if (value.is_list() && value.size() > 0) {
            out_ += '\n';
            list(value, column);
        } else {
            out_ += ' ';
            leaf(value, column + 2);
            out_ += '\n';
        }
    }

    void list(const Value& value, std::size_t column) {
        for (const Value& item : value.items()) {
            indent(column);
            item_of_list(item, column);
        }
    }

    void item_of_list(const Value& item, std::size_t column) {
        out_ += "- ";
        if (item.is_map() && item.size() > 0) {
            map(item, column + 2, Level::Other, true);
        } else if (item.is_list() && item.size() > 0) {
            bool first = true;
            for (const Value& inner : item.items()) {
                if (!first) {
                    indent(column + 2);
                }
                first = false;
                item_of_list(inner, column + 2);
            }
        } else {
            leaf(item, column + 2);
            out_ += '\n';
        }
    }

    void leaf(const Value& value, std::size_t column) {
        switch (value.kind()) {
            case Value::Kind::Null:
                out_ += "null";
                break;
            case Value::Kind::Bool:
                out_ += value.as_bool() ? "true" : "false";
                break;
            case Value::Kind::Number:
                out_ += value.text();
                break;
            case Value::Kind::String:
                string(value.text(), column);
                break;
            case Value::Kind::List:
                out_ += "[]";
                break;
            case Value::Kind::Map:
                out_ += "{}";
                break;
        }
    }

    // needs_quotes is true for every text of several lines.
    void string(std::string_view text, std::size_t column) {
        if (!needs_quotes(text)) {
            out_ += text;
        } else if (!text.empty() && fits_block(text)) {
            block(text, column);
        } else {
            write_quoted(text, out_);
        }
    }

    void block(std::string_view text, std::size_t column) {
        const bool keep = text.ends_with("\n\n");
        out_ += keep ? "|+" : text.ends_with('\n') ? "|" : "|-";
        while (!text.empty()) {
            const std::string_view line = take(text, '\n');
            out_ += '\n';
            if (!line.empty()) {
                indent(std::max<std::size_t>(column, 2));
                out_ += line;
            }
        }
    }

    void text(std::string_view text) {
        if (needs_quotes(text)) {
            write_quoted(text, out_);
        } else {
            out_ += text;
        }
    }

    // A key with the values that decide most comparisons.
    struct Ordered {
        std::size_t rank;
        std::uint64_t head;  // the first eight bytes
        const Member* member;

        bool operator<(const Ordered& other) const {
            if (rank != other.rank) {
                return rank < other.rank;
            }
            return head != other.head ? head < other.head : member->name() < other.member->name();
        }
    };

    template <typename Visit>
    static void each_sorted(const Value& value, Level level, Visit visit) {
        const std::span<const Member> members = value.members();
        constexpr std::size_t kFew = 24;
        std::array<Ordered, kFew> few;
        std::vector<Ordered> many;
        std::span<Ordered> order;
        if (members.size() <= kFew) {
            order = std::span(few).first(members.size());
        } else {
            many.resize(members.size());
            order = many;
        }
        std::ranges::transform(members, order.begin(), [level](const Member& member) {
            return Ordered{rank(level, member.name()), head_of(member.name()), &member};
        });
        if (!std::ranges::is_sorted(order, std::less())) {
            std::ranges::sort(order, std::less());
        }
        for (const Ordered& ordered : order) {
            visit(*ordered.member);
        }
    }

    std::string& out_;
};

}  // namespace

std::string quoted_scalar(std::string_view text) {
    std::string out;
    write_quoted(text, out);
    return out;
}

bool needs_quotes(std::string_view text) {
    if (text.empty() || !is_plain_start(text.front()) || looks_numeric(text) ||
        text.back() == ' ' || text.back() == ':') {
        return true;
    }
    std::uint8_t seen = 0;
    for (const char c : text) {
        seen |= kInner[static_cast<unsigned char>(c)];
    }
    const bool ambiguous = (seen & kLook) != 0 && (text.find(" #") != std::string_view::npos ||
                                                   text.find(": ") != std::string_view::npos);
    return (seen & kQuotes) != 0 || ambiguous || plain_kind(text) != Value::Kind::String ||
           ((seen & kNotAscii) != 0 && has_odd_unicode(text));
}

void write_yaml(const Value& value, std::string& out) {
    YamlEmitter(out).document(value);
}

}  // namespace renderer::inline core
