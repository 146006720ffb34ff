// JSON that comes in pieces, as events, one value after the other (NDJSON). Never more in memory
// than the text that is being read: what a value is good for is its listener's to know.
// Source: RFC 8259.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runtime {

class JsonListener {
public:
    JsonListener() = default;
    JsonListener(const JsonListener&) = delete;
    JsonListener& operator=(const JsonListener&) = delete;
    virtual ~JsonListener() = default;

    // The key stands before the value that it is of.
    virtual void on_key(std::string_view key) = 0;
    virtual void on_text(std::string_view text) = 0;
    // As spelled: a number, true, false or null.
    virtual void on_scalar(std::string_view spelling) = 0;
    virtual void on_begin(bool is_object) = 0;  // an object or a list
    virtual void on_end() = 0;
    virtual void on_document() = 0;  // a value that is in no other is whole
};

class JsonStream {
public:
    // Texts are cut off behind this many bytes. Deeper nesting, or longer spellings of numbers, are
    // errors.
    static constexpr std::size_t kLongestText = std::size_t{16} << 10U;
    static constexpr std::size_t kDeepest = 128;

    explicit JsonStream(JsonListener& listener) : listener_(listener) {}

    // False: it is not JSON, and nothing more is taken.
    bool take(std::string_view bytes);
    // Between two documents, or at the beginning.
    [[nodiscard]] bool is_between() const { return nesting_.empty() && state_ == State::Value; }

private:
    // What may come next.
    enum class State { Value, FirstItem, FirstKey, Key, Colon, AfterValue, Text, Scalar, Failed };

    void take(char byte);
    void begin_value(char byte);
    void begin(char bracket);
    void end(char bracket);
    void end_value();
    void take_text(char byte);
    void take_escaped(char byte);
    void take_hex(char byte);
    void end_text();
    void end_scalar();
    void append(std::string_view bytes);
    void append_code(unsigned code);

    JsonListener& listener_;
    State state_ = State::Value;
    std::vector<bool> nesting_;  // true: an object
    std::string text_;           // being read: a text, a key or a scalar
    bool is_key_ = false;
    bool is_escaped_ = false;
    int hex_left_ = 0;  // digits of a \u that are to come
    unsigned code_ = 0;
    unsigned high_surrogate_ = 0;
};

}  // namespace runtime
