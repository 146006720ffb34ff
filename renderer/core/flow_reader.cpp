#include "renderer/core/flow_reader.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "renderer/core/plain_scalar.h"
#include "renderer/core/simple_scalars.h"

namespace renderer::inline core {

namespace {

// Each step returns false for text that it does not support.
class FlowReader {
public:
    FlowReader(Pos base, std::string_view text, std::size_t begin)
        : base_(base), text_(text), at_(begin) {
        find_line_end();
    }

    [[nodiscard]] std::size_t at() const { return at_; }

    // Reads the list or map whose bracket is at the current place, and goes to the byte after it.
    bool collection(Value& value, int depth) {
        if (depth > kMaxSimpleDepth) {
            return false;
        }
        const bool is_map = text_[at_] == '{';
        const char bracket = is_map ? '}' : ']';
        value = is_map ? Value::map() : Value::list();
        value.set_pos(pos());
        ++at_;
        while (true) {
            if (!skip()) {
                return false;
            }
            if (text_[at_] == bracket) {
                ++at_;
                return !is_map || has_unique_keys(value);
            }
            if (!(is_map ? member(value, depth) : item(value, depth)) || !skip()) {
                return false;
            }
            if (text_[at_] == ',') {
                ++at_;
            } else if (text_[at_] != bracket) {
                return false;
            }
        }
    }

private:
    [[nodiscard]] Pos pos() const { return Pos{base_.offset + static_cast<std::uint32_t>(at_)}; }

    [[nodiscard]] std::string_view rest_of_line() const { return text_.substr(at_, end_ - at_); }

    void find_line_end() { end_ = std::min(text_.find('\n', at_), text_.size()); }

    void skip_blanks() {
        while (at_ < end_ && text_[at_] == ' ') {
            ++at_;
        }
    }

    // Goes to the next byte that is neither blank nor part of a comment, possibly some lines below.
    bool skip() {
        skip_blanks();
        while (at_ == end_ || text_[at_] == '#') {
            const char before = text_[at_ - 1];
            if (end_ == text_.size() || (at_ < end_ && before != ' ' && before != '\n')) {
                return false;
            }
            at_ = end_ + 1;
            find_line_end();
            if (at_ < end_ && std::string_view("-.%").find(text_[at_]) != std::string_view::npos) {
                return false;  // this may be a document marker
            }
            skip_blanks();
        }
        return true;
    }

    bool member(Value& map, int depth) {
        Value key;
        const std::size_t size = read_simple_key(rest_of_line(), KeyStyle::Flow, key);
        key.set_pos(pos());
        at_ += size;
        skip_blanks();
        Value value;
        if (size == 0 || at_ == end_ || !node(value, depth)) {
            return false;
        }
        map.add(std::move(key), std::move(value));
        return true;
    }

    bool item(Value& list, int depth) {
        Value value;
        if (!node(value, depth)) {
            return false;
        }
        list.append(std::move(value));
        return true;
    }

    bool node(Value& value, int depth) {
        const char first = text_[at_];
        if (first == '[' || first == '{') {
            return collection(value, depth + 1);
        }
        const Pos place = pos();
        const bool is_quoted = first == '"' || first == '\'';
        const std::size_t size =
            is_quoted ? read_quoted(rest_of_line(), value) : plain(rest_of_line(), value);
        value.set_pos(place);
        at_ += size;
        return size > 0;
    }

    static std::size_t plain(std::string_view line, Value& value) {
        if (!begins_plain(line)) {
            return 0;
        }
        constexpr std::string_view kBrackets = ",[]{}";
        std::size_t size = 0;
        for (; size < line.size(); ++size) {
            const char c = line[size];
            const char next = size + 1 < line.size() ? line[size + 1] : ' ';
            if (c == ',' || c == ']' || c == '}') {
                break;
            }
            const bool ends_key =
                c == ':' && (next == ' ' || kBrackets.find(next) != std::string_view::npos);
            const bool is_comment = c == '#' && line[size - 1] == ' ';
            if (ends_key || is_comment || c == '[' || c == '{' || c == '?' || c == '\t') {
                return 0;
            }
        }
        value = resolve_plain(line.substr(0, line.find_last_not_of(' ', size - 1) + 1));
        return size;
    }

    Pos base_;
    std::string_view text_;
    std::size_t at_;
    std::size_t end_ = 0;  // of the current line
};

}  // namespace

std::optional<std::size_t> read_flow_style(Pos base, std::string_view text, std::size_t begin,
                                           int depth, Value& value) {
    FlowReader reader(base, text, begin);
    return reader.collection(value, depth) ? std::optional(reader.at()) : std::nullopt;
}

}  // namespace renderer::inline core
