// A streaming JSON parser that reports events. It accepts JSON in pieces, one value after another
// (NDJSON), and keeps only the current text or scalar in memory. The listener decides what the
// values mean.
// Source: RFC 8259.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runtime::inline base {

class JsonListener {
public:
    JsonListener() = default;
    JsonListener(const JsonListener&) = delete;
    JsonListener& operator=(const JsonListener&) = delete;
    virtual ~JsonListener() = default;

    // The key is reported before its value.
    virtual void on_key(std::string_view key) = 0;
    virtual void on_text(std::string_view text) = 0;
    // A number, true, false or null, as it is spelled.
    virtual void on_scalar(std::string_view spelling) = 0;
    virtual void on_begin(bool is_object) = 0;  // an object or a list
    virtual void on_end() = 0;
    virtual void on_document() = 0;  // a top-level value is complete
};

class JsonStream {
public:
    // Texts are cut off after this many bytes. Deeper nesting or a longer spelling of a number is
    // an error.
    static constexpr std::size_t kLongestText = std::size_t{16} << 10U;
    static constexpr std::size_t kDeepest = 128;

    explicit JsonStream(JsonListener& listener) : listener_(listener) {}

    // Returns false if the input is not JSON. Further input is ignored then.
    bool take(std::string_view bytes);
    // True at the beginning and between two documents.
    [[nodiscard]] bool is_between() const { return nesting_.empty() && state_ == State::Value; }

private:
    // What may come next in the input.
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
    std::string text_;           // current text, key or scalar
    bool is_key_ = false;
    bool is_escaped_ = false;
    int hex_left_ = 0;  // remaining digits of a \u escape
    unsigned code_ = 0;
    unsigned high_surrogate_ = 0;
};

}  // namespace runtime::inline base
