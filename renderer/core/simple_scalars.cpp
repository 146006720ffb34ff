#include "renderer/core/simple_scalars.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/core/plain_scalar.h"

namespace renderer::inline core {

namespace {

constexpr std::size_t kMaxKey = 1000;    // YAML's limit for keys without `?` is 1024
constexpr std::size_t kFewMembers = 12;  // up to this size comparing all pairs is fastest

enum ByteClass : std::uint8_t { kKeyByte = 1, kKeyStart = 2, kPlainStart = 4 };

// Fewer bytes than YAML allows. Bytes that begin or end a construct of YAML are left out.
constexpr std::array<std::uint8_t, 256> kClasses = [] {
    std::array<std::uint8_t, 256> classes{};
    for (std::size_t byte = 0; byte < classes.size(); ++byte) {
        const auto c = static_cast<char>(byte);
        const bool word = is_alphanumeric(c) || c == '_';
        const bool in_key = word || c == '-' || c == '.' || c == '/' || c == '$';
        const bool start = word || c == '.' || c == '/' || c == '$';
        const bool plain = start || c == '(' || c == '+' || c == '~' || c == '^' || c == ';' ||
                           c == '<' || c == '=';
        classes[byte] = static_cast<std::uint8_t>(
            (in_key ? kKeyByte : 0) | (start ? kKeyStart : 0) | (plain ? kPlainStart : 0));
    }
    return classes;
}();

bool is(char c, ByteClass wanted) {
    return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

std::size_t read_single_quoted(std::string_view line, Value& value) {
    std::string content;
    std::size_t i = 1;
    while (true) {
        const std::size_t quote = line.find('\'', i);
        if (quote == std::string_view::npos) {
            return 0;
        }
        content += line.substr(i, quote - i);
        i = quote + 1;
        if (i >= line.size() || line[i] != '\'') {
            break;
        }
        content += '\'';
        ++i;
    }
    value = Value(content);
    return content.find('\t') == std::string::npos ? i : 0;
}

std::size_t read_double_quoted(std::string_view line, Value& value) {
    std::string content;
    std::size_t i = 1;
    for (; i < line.size() && line[i] != '"'; ++i) {
        char c = line[i];
        if (c == '\t') {
            return 0;
        }
        if (c == '\\') {
            constexpr std::string_view kEscapes = "\"\\/nt";
            constexpr std::string_view kMeanings = "\"\\/\n\t";
            const std::size_t escape = ++i < line.size() ? kEscapes.find(line[i]) : kEscapes.size();
            if (escape >= kEscapes.size()) {
                return 0;
            }
            c = kMeanings[escape];
        }
        content += c;
    }
    value = Value(content);
    return i < line.size() ? i + 1 : 0;
}

}  // namespace

std::size_t read_simple_key(std::string_view line, KeyStyle style, Value& key) {
    const char first = line.front();
    const bool quoted = first == '"' || first == '\'';
    std::size_t i = 1;
    std::string_view name;
    if (quoted) {
        while (i < line.size() && line[i] != first && line[i] != '\\') {
            ++i;
        }
        name = line.substr(1, i - 1);
        if (i == line.size() || line[i] != first) {
            return 0;
        }
        ++i;
    } else if (is(first, kKeyStart)) {
        while (i < line.size() && is(line[i], kKeyByte)) {
            ++i;
        }
        name = line.substr(0, i);
    } else {
        return 0;
    }
    const bool is_key = i < line.size() && line[i] == ':' && name.size() <= kMaxKey;
    const bool ends = i + 1 >= line.size() || line[i + 1] == ' ';
    if (!is_key || !(ends || (quoted && style == KeyStyle::Flow))) {
        return 0;
    }
    const Value::Kind kind = quoted ? Value::Kind::String : plain_kind(name);
    if (kind != Value::Kind::String && kind != Value::Kind::Number) {
        return 0;
    }
    key = Value(name);
    return i + 1;
}

std::size_t read_quoted(std::string_view line, Value& value) {
    return line.front() == '"' ? read_double_quoted(line, value) : read_single_quoted(line, value);
}

bool begins_plain(std::string_view line) {
    const char first = line.front();
    const bool minus = first == '-' && line.size() > 1 && is(line[1], kKeyByte);
    return minus || is(first, kPlainStart) || static_cast<unsigned char>(first) >= 0x80;
}

bool has_unique_keys(const Value& map) {
    const std::span<const Member> members = map.members();
    if (members.size() <= kFewMembers) {
        for (std::size_t i = 1; i < members.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (members[i].key == members[j].key) {
                    return false;
                }
            }
        }
        return true;
    }
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const Member& member : members) {
        names.push_back(member.name());
    }
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) == names.end();
}

}  // namespace renderer::inline core
