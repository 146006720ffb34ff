#include "renderer/core/block_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/core/plain_scalar.h"

namespace renderer {

namespace {

constexpr int kMaxBlockDepth = 40;       // far below yaml_reader's own bound
constexpr std::size_t kMaxKey = 1000;    // YAML's bound for keys without `?` is 1024
constexpr std::size_t kFewMembers = 12;  // up to which comparing all pairs is quickest

enum ByteClass : std::uint8_t { kKeyByte = 1, kKeyStart = 2, kPlainStart = 4 };

// Fewer bytes than YAML allows; those that begin or end something in it are not among them.
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

// Each step answers false when it is not certain; then the whole document is given up.
class BlockReader {
public:
    BlockReader(Pos base, std::string_view text) : base_(base), text_(text) {}

    bool read(Value& root) { return next_line(0) && !at_end_ && node(root, 1) && at_end_; }

private:
    [[nodiscard]] Pos pos(std::size_t offset) const {
        return Pos{base_.offset + static_cast<std::uint32_t>(offset)};
    }

    [[nodiscard]] std::size_t line_end(std::size_t from) const {
        const void* found = std::memchr(text_.data() + from, '\n', text_.size() - from);
        return found == nullptr
                   ? text_.size()
                   : static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
    }

    // Goes to the next line that holds more than a comment, from the start of a line.
    bool next_line(std::size_t from) {
        for (std::size_t start = from; start < text_.size(); start = end_ + 1) {
            at_ = start;
            while (at_ < text_.size() && text_[at_] == ' ') {
                ++at_;
            }
            end_ = line_end(at_);
            if (at_ == end_ || text_[at_] == '#') {
                continue;
            }
            column_ = at_ - start;
            const std::string_view mark = text_.substr(at_, 3);
            return column_ > 0 || (mark != "---" && mark != "..." && text_[at_] != '%');
        }
        at_end_ = true;
        at_ = end_ = text_.size();
        column_ = 0;
        return true;
    }

    [[nodiscard]] bool is_dash() const {
        return !at_end_ && text_[at_] == '-' && (at_ + 1 == end_ || text_[at_ + 1] == ' ');
    }

    // A map or a list that begins at the current place.
    bool node(Value& value, int depth) {
        if (depth > kMaxBlockDepth) {
            return false;
        }
        return is_dash() ? list(value, depth) : map(value, depth);
    }

    bool list(Value& value, int depth) {
        const std::size_t column = column_;
        value = Value::list();
        value.set_pos(pos(at_));
        while (!at_end_ && column_ == column && is_dash()) {
            Value item;
            if (!list_item(item, depth)) {
                return false;
            }
            value.append(std::move(item));
        }
        return at_end_ || column_ <= column;
    }

    bool list_item(Value& item, int depth) {
        const std::size_t column = column_;
        std::size_t begin = at_ + 1;
        while (begin < end_ && text_[begin] == ' ') {
            ++begin;
        }
        if (begin == end_ || text_[begin] == '#') {
            return below(item, column, false, depth);
        }
        column_ += begin - at_;
        at_ = begin;
        std::size_t behind_key = 0;
        Value key;
        if (is_dash() || key_at(key, behind_key)) {
            return node(item, depth + 1) && (at_end_ || column_ <= column);
        }
        return scalar(item, begin, column);
    }

    bool map(Value& value, int depth) {
        const std::size_t column = column_;
        value = Value::map();
        value.set_pos(pos(at_));
        while (!at_end_ && column_ == column) {
            Value key;
            std::size_t begin = 0;
            if (!key_at(key, begin)) {
                return false;
            }
            while (begin < end_ && text_[begin] == ' ') {
                ++begin;
            }
            Value member;
            const bool nothing = begin == end_ || (text_[begin] == '#' && text_[begin - 1] == ' ');
            if (!(nothing ? below(member, column, true, depth) : scalar(member, begin, column))) {
                return false;
            }
            value.add(std::move(key), std::move(member));
        }
        return (at_end_ || column_ < column) && unique(value);
    }

    // What is below a key or a dash that nothing follows in its line.
    bool below(Value& value, std::size_t column, bool in_map, int depth) {
        if (!next_line(end_ + 1)) {
            return false;
        }
        if (!at_end_ && (column_ > column || (in_map && column_ == column && is_dash()))) {
            return node(value, depth + 1);
        }
        value.set_pos(pos(at_));
        return true;
    }

    // `key:` at the current place; `behind` is where its value may begin.
    bool key_at(Value& key, std::size_t& behind) const {
        if (at_end_) {
            return false;
        }
        const char first = text_[at_];
        std::size_t i = at_ + 1;
        std::string_view name;
        bool quoted = false;
        if (first == '"' || first == '\'') {
            quoted = true;
            while (i < end_ && text_[i] != first && text_[i] != '\\') {
                ++i;
            }
            name = text_.substr(at_ + 1, i - at_ - 1);
            if (i == end_ || text_[i] != first) {
                return false;
            }
            ++i;
        } else if (is(first, kKeyStart)) {
            while (i < end_ && is(text_[i], kKeyByte)) {
                ++i;
            }
            name = text_.substr(at_, i - at_);
        } else {
            return false;
        }
        if (i >= end_ || text_[i] != ':' || (i + 1 < end_ && text_[i + 1] != ' ') ||
            name.size() > kMaxKey) {
            return false;
        }
        const Value::Kind kind = quoted ? Value::Kind::String : plain_kind(name);
        if (kind != Value::Kind::String && kind != Value::Kind::Number) {
            return false;
        }
        key = Value(name);
        key.set_pos(pos(at_));
        behind = i + 1;
        return true;
    }

    // Reads the value that begins at `begin` behind a key or dash, and goes to the line below it.
    bool scalar(Value& value, std::size_t begin, std::size_t column) {
        bool certain = false;
        switch (text_[begin]) {
            case '"':
                certain = double_quoted(value, begin);
                break;
            case '\'':
                certain = single_quoted(value, begin);
                break;
            case '|':
                return block(value, begin, column);
            case '[':
            case '{':
                certain = empty_flow(value, begin);
                break;
            default:
                certain = plain(value, begin);
        }
        value.set_pos(pos(begin));
        return certain && next_line(end_ + 1) && (at_end_ || column_ <= column);
    }

    // Only blanks or a comment up to the end of the line.
    [[nodiscard]] bool nothing_behind(std::size_t at) const {
        std::size_t i = at;
        while (i < end_ && text_[i] == ' ') {
            ++i;
        }
        return i == end_ || (text_[i] == '#' && i > at);
    }

    bool empty_flow(Value& value, std::size_t begin) {
        const std::string_view both = text_.substr(begin, 2);
        if ((both != "[]" && both != "{}") || !nothing_behind(begin + 2)) {
            return false;
        }
        value = both == "[]" ? Value::list() : Value::map();
        return true;
    }

    bool plain(Value& value, std::size_t begin) {
        const char first = text_[begin];
        const bool minus = first == '-' && begin + 1 < end_ && is(text_[begin + 1], kKeyByte);
        if (!minus && !is(first, kPlainStart) && static_cast<unsigned char>(first) < 0x80) {
            return false;
        }
        std::string_view text = text_.substr(begin, end_ - begin);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\t' ||
                (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '))) {
                return false;
            }
            if (text[i] == '#' && text[i - 1] == ' ') {
                text = text.substr(0, i);
            }
        }
        text = text.substr(0, text.find_last_not_of(' ') + 1);
        value = resolve_plain(text);
        return true;
    }

    bool single_quoted(Value& value, std::size_t begin) {
        std::string content;
        std::size_t i = begin + 1;
        while (true) {
            const std::size_t quote = text_.substr(0, end_).find('\'', i);
            if (quote == std::string_view::npos) {
                return false;
            }
            content += text_.substr(i, quote - i);
            i = quote + 1;
            if (i >= end_ || text_[i] != '\'') {
                break;
            }
            content += '\'';
            ++i;
        }
        value = Value(content);
        return content.find('\t') == std::string::npos && nothing_behind(i);
    }

    bool double_quoted(Value& value, std::size_t begin) {
        std::string content;
        std::size_t i = begin + 1;
        for (; i < end_ && text_[i] != '"'; ++i) {
            char c = text_[i];
            if (c == '\t') {
                return false;
            }
            if (c == '\\') {
                constexpr std::string_view kEscapes = "\"\\/nt";
                constexpr std::string_view kMeanings = "\"\\/\n\t";
                const std::size_t escape = ++i < end_ ? kEscapes.find(text_[i]) : kEscapes.size();
                if (escape >= kEscapes.size()) {
                    return false;
                }
                c = kMeanings[escape];
            }
            content += c;
        }
        value = Value(content);
        return i < end_ && nothing_behind(i + 1);
    }

    // `|`, `|-` or `|+`, without a digit. Every line up to the first that is indented less belongs
    // to it.
    bool block(Value& value, std::size_t begin, std::size_t column) {
        const char chomping = begin + 1 < end_ ? text_[begin + 1] : ' ';
        const bool chomps = chomping == '-' || chomping == '+';
        if (end_ == text_.size() || !nothing_behind(begin + (chomps ? 2 : 1))) {
            return false;
        }
        std::string content;
        std::size_t indent = 0;
        std::size_t breaks = 0;  // line ends not yet part of the content
        std::size_t start = end_ + 1;
        for (std::size_t end = 0; start < text_.size(); start = end + 1) {
            std::size_t first = start;
            while (first < text_.size() && text_[first] == ' ') {
                ++first;
            }
            end = line_end(first);
            if (end == text_.size()) {
                return false;  // no line end at the end of the text
            }
            const std::size_t blanks = first - start;
            if (first == end) {
                if (indent == 0 ? blanks > 0 : blanks > indent) {
                    return false;
                }
                ++breaks;
                continue;
            }
            if (indent == 0 && blanks > column) {
                indent = blanks;
            }
            if (indent == 0 || blanks < indent) {
                if (blanks > column || indent == 0) {
                    return false;
                }
                break;
            }
            content.append(breaks, '\n');
            content += text_.substr(start + indent, end - start - indent);
            breaks = 1;
        }
        if (indent == 0) {
            return false;
        }
        content.append(chomping == '-' ? 0 : chomping == '+' ? breaks : 1, '\n');
        value = Value(content);
        value.set_pos(pos(begin));
        return next_line(start) && (at_end_ || column_ <= column);
    }

    static bool unique(const Value& map) {
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

    Pos base_;
    std::string_view text_;
    std::size_t at_ = 0;      // first byte behind the indentation of the current line
    std::size_t end_ = 0;     // end of that line
    std::size_t column_ = 0;  // of at_
    bool at_end_ = false;
};

}  // namespace

std::optional<Value> read_block_style(const SourceMap& sources, SourceId source, std::size_t begin,
                                      std::string_view text) {
    Value root;
    const bool has_returns = text.find('\r') != std::string_view::npos;
    if (has_returns || !BlockReader(sources.pos(source, begin), text).read(root)) {
        return std::nullopt;
    }
    return root;
}

}  // namespace renderer
