#include "runtime/base/json_stream.h"

#include <algorithm>

namespace runtime::inline base {

namespace {

constexpr std::string_view kBetweenTokens = " \t\r\n";
constexpr std::size_t kLongestScalar = 64;
constexpr unsigned kReplacement = 0xFFFD;

bool is_scalar_byte(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '-' ||
           byte == '+' || byte == '.' || byte == 'E';
}

bool is_number(std::string_view text) {
    const auto digits = [&text] {
        const auto end = std::find_if(text.begin(), text.end(),
                                      [](char byte) { return byte < '0' || byte > '9'; });
        const auto count = static_cast<std::size_t>(end - text.begin());
        const bool has_leading_zero = count > 1 && text.front() == '0';
        text.remove_prefix(count);
        return std::pair(count > 0, has_leading_zero);
    };
    if (text.starts_with('-')) {
        text.remove_prefix(1);
    }
    const auto [has_digits, has_leading_zero] = digits();
    if (!has_digits || has_leading_zero) {
        return false;
    }
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!digits().first) {
            return false;
        }
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) {
            text.remove_prefix(1);
        }
        if (!digits().first) {
            return false;
        }
    }
    return text.empty();
}

int hex_digit(char byte) {
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    const char lower = static_cast<char>(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

bool JsonStream::take(std::string_view bytes) {
    for (const char byte : bytes) {
        if (state_ == State::Failed) {
            return false;
        }
        take(byte);
    }
    return state_ != State::Failed;
}

void JsonStream::take(char byte) {
    if (state_ == State::Text) {
        return take_text(byte);
    }
    if (state_ == State::Scalar) {
        if (is_scalar_byte(byte)) {
            append({&byte, 1});
            if (text_.size() > kLongestScalar) {
                state_ = State::Failed;
            }
            return;
        }
        end_scalar();
        if (state_ == State::Failed) {
            return;
        }
    }
    if (kBetweenTokens.find(byte) != std::string_view::npos) {
        return;
    }
    switch (state_) {
        case State::FirstItem:
            return byte == ']' ? end(byte) : begin_value(byte);
        case State::Value:
            return begin_value(byte);
        case State::FirstKey:
            if (byte == '}') {
                return end(byte);
            }
            [[fallthrough]];
        case State::Key:
            is_key_ = true;
            text_.clear();
            state_ = byte == '"' ? State::Text : State::Failed;
            return;
        case State::Colon:
            state_ = byte == ':' ? State::Value : State::Failed;
            return;
        case State::AfterValue:
            if (byte == ',') {
                state_ = nesting_.back() ? State::Key : State::Value;
                return;
            }
            return end(byte);
        case State::Text:
        case State::Scalar:
        case State::Failed:
            return;
    }
}

void JsonStream::begin_value(char byte) {
    if (byte == '{' || byte == '[') {
        return begin(byte);
    }
    text_.clear();
    if (byte == '"') {
        is_key_ = false;
        state_ = State::Text;
    } else if (is_scalar_byte(byte)) {
        append({&byte, 1});
        state_ = State::Scalar;
    } else {
        state_ = State::Failed;
    }
}

void JsonStream::begin(char bracket) {
    if (nesting_.size() == kDeepest) {
        state_ = State::Failed;
        return;
    }
    const bool is_object = bracket == '{';
    nesting_.push_back(is_object);
    state_ = is_object ? State::FirstKey : State::FirstItem;
    listener_.on_begin(is_object);
}

void JsonStream::end(char bracket) {
    if (nesting_.empty() || bracket != (nesting_.back() ? '}' : ']')) {
        state_ = State::Failed;
        return;
    }
    nesting_.pop_back();
    listener_.on_end();
    end_value();
}

void JsonStream::end_value() {
    if (nesting_.empty()) {
        state_ = State::Value;
        listener_.on_document();
    } else {
        state_ = State::AfterValue;
    }
}

void JsonStream::take_text(char byte) {
    if (hex_left_ > 0) {
        return take_hex(byte);
    }
    if (is_escaped_) {
        return take_escaped(byte);
    }
    if (byte == '\\') {
        is_escaped_ = true;
        return;
    }
    if (high_surrogate_ != 0) {
        high_surrogate_ = 0;
        append_code(kReplacement);
    }
    if (byte == '"') {
        return end_text();
    }
    if (static_cast<unsigned char>(byte) < 0x20) {
        state_ = State::Failed;
        return;
    }
    append({&byte, 1});
}

void JsonStream::take_escaped(char byte) {
    is_escaped_ = false;
    if (byte == 'u') {
        hex_left_ = 4;
        code_ = 0;
        return;
    }
    if (high_surrogate_ != 0) {
        high_surrogate_ = 0;
        append_code(kReplacement);
    }
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t which = kEscapes.find(byte);
    if (which == std::string_view::npos) {
        state_ = State::Failed;
        return;
    }
    append(kMeanings.substr(which, 1));
}

void JsonStream::take_hex(char byte) {
    const int digit = hex_digit(byte);
    if (digit < 0) {
        state_ = State::Failed;
        return;
    }
    code_ = code_ * 16 + static_cast<unsigned>(digit);
    if (--hex_left_ > 0) {
        return;
    }
    const bool is_low = code_ >= 0xDC00 && code_ < 0xE000;
    if (high_surrogate_ != 0) {
        const unsigned high = high_surrogate_;
        high_surrogate_ = 0;
        if (is_low) {
            return append_code(0x10000 + ((high - 0xD800) << 10U) + (code_ - 0xDC00));
        }
        append_code(kReplacement);
    }
    if (code_ >= 0xD800 && code_ < 0xDC00) {
        high_surrogate_ = code_;
    } else {
        append_code(is_low ? kReplacement : code_);
    }
}

void JsonStream::end_text() {
    if (is_key_) {
        state_ = State::Colon;
        listener_.on_key(text_);
    } else {
        listener_.on_text(text_);
        end_value();
    }
}

void JsonStream::end_scalar() {
    if (text_ != "true" && text_ != "false" && text_ != "null" && !is_number(text_)) {
        state_ = State::Failed;
        return;
    }
    listener_.on_scalar(text_);
    end_value();
}

void JsonStream::append(std::string_view bytes) {
    text_.append(bytes.substr(0, kLongestText - text_.size()));
}

void JsonStream::append_code(unsigned code) {
    char out[4];
    std::size_t size = 1;
    if (code < 0x80) {
        out[0] = static_cast<char>(code);
    } else {
        size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        for (std::size_t i = size - 1; i > 0; --i) {
            out[i] = static_cast<char>(0x80 | (code & 0x3FU));
            code >>= 6U;
        }
        out[0] = static_cast<char>((0xF00U >> size & 0xF0U) | code);
    }
    append({out, size});
}

}  // namespace runtime::inline base
