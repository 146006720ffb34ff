#include "renderer/core/block_reader.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "renderer/core/flow_reader.h"
#include "renderer/core/plain_scalar.h"
#include "renderer/core/simple_scalars.h"

namespace renderer::inline core {

namespace {

// Each step returns false for text that it does not support; the document is then left to yaml-cpp.
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

    [[nodiscard]] std::string_view line_from(std::size_t begin) const {
        return text_.substr(begin, end_ - begin);
    }

    // Goes from the start of a line to the next line that holds more than a comment.
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

    // Reads the map or list that begins at the current place.
    bool node(Value& value, int depth) {
        if (depth > kMaxSimpleDepth) {
            return false;
        }
        if (text_[at_] == '[' || text_[at_] == '{') {
            return flow(value, at_, depth) && next_line(end_ + 1);
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
        return leaf(item, begin, column, depth);
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
            if (!(nothing ? below(member, column, true, depth)
                          : leaf(member, begin, column, depth))) {
                return false;
            }
            value.add(std::move(key), std::move(member));
        }
        return (at_end_ || column_ < column) && has_unique_keys(value);
    }

    // Reads the value below a key or dash that is the last thing in its line.
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

    // Reads the `key:` at the current place; sets `behind` to where its value may begin.
    bool key_at(Value& key, std::size_t& behind) const {
        const std::size_t size =
            at_end_ ? 0 : read_simple_key(line_from(at_), KeyStyle::Block, key);
        key.set_pos(pos(at_));
        behind = at_ + size;
        return size > 0;
    }

    // Reads the value that begins at `begin` after a key or dash, and goes to the line below it.
    bool leaf(Value& value, std::size_t begin, std::size_t column, int depth) {
        bool certain = false;
        switch (text_[begin]) {
            case '"':
            case '\'':
                certain = quoted(value, begin);
                break;
            case '|':
                return block(value, begin, column);
            case '[':
            case '{':
                certain = flow(value, begin, depth + 1);
                break;
            default:
                certain = plain(value, begin);
        }
        value.set_pos(pos(begin));
        return certain && next_line(end_ + 1) && (at_end_ || column_ <= column);
    }

    // True if only blanks or a comment follow on the line.
    [[nodiscard]] bool nothing_behind(std::size_t at) const {
        std::size_t i = at;
        while (i < end_ && text_[i] == ' ') {
            ++i;
        }
        return i == end_ || (text_[i] == '#' && i > at);
    }

    // Reads a list or map in flow style. The current line is then that of its last bracket.
    bool flow(Value& value, std::size_t begin, int depth) {
        const std::optional<std::size_t> behind =
            read_flow_style(base_, text_, begin, depth, value);
        if (!behind) {
            return false;
        }
        end_ = *behind <= end_ ? end_ : line_end(*behind);
        return nothing_behind(*behind);
    }

    bool plain(Value& value, std::size_t begin) {
        std::string_view text = line_from(begin);
        if (!begins_plain(text)) {
            return false;
        }
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

    bool quoted(Value& value, std::size_t begin) {
        const std::size_t size = read_quoted(line_from(begin), value);
        return size > 0 && nothing_behind(begin + size);
    }

    // Reads `|`, `|-` or `|+`, without a digit. Every line up to the first that is indented less
    // belongs to it.
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
                return false;  // the text does not end in a line break
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

    Pos base_;
    std::string_view text_;
    std::size_t at_ = 0;      // first byte after the indentation of the current line
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

}  // namespace renderer::inline core
