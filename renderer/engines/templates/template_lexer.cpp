#include "renderer/engines/templates/template_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

using Kind = TemplateToken::Kind;

bool is_space(char c) {
    return kTemplateSpaces.find(c) != std::string_view::npos;
}

bool is_word_character(char c) {
    return is_alphanumeric(c) || c == '_';
}

std::optional<unsigned> digit_of_base(char c, unsigned base) {
    const char lower = lower_case(c);
    const unsigned digit = is_digit(c)                    ? static_cast<unsigned>(c - '0')
                           : lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10
                                                          : base;
    return digit < base ? std::optional(digit) : std::nullopt;
}

class ActionLexer {
public:
    ActionLexer(std::string_view& rest, std::string_view close, std::string& failure)
        : rest_(rest), close_(close), failure_(failure) {}

    TemplateAction run() {
        while (failure_.empty() && !ends()) {
            step();
        }
        out_.tokens.push_back({});
        return std::move(out_);
    }

private:
    void fail(std::string why) {
        if (failure_.empty()) {
            failure_ = std::move(why);
        }
    }

    void add(Kind kind, std::string_view text, std::size_t size) {
        out_.tokens.push_back({kind, std::string(text)});
        rest_.remove_prefix(size);
    }

    [[nodiscard]] bool is_at_trimming_end() const {
        return rest_.size() > 1 && is_space(rest_[0]) && rest_[1] == '-' &&
               rest_.substr(2).starts_with(close_);
    }

    bool ends() {
        const bool trims = is_at_trimming_end();
        if (!trims && !rest_.starts_with(close_)) {
            return false;
        }
        if (depth_ > 0) {
            fail("a \"(\" is not closed");
        }
        out_.trims = trims;
        rest_.remove_prefix(close_.size() + (trims ? 2 : 0));
        return true;
    }

    void step() {
        if (rest_.empty()) {
            return fail(fmt::format("an action does not end with \"{}\"", close_));
        }
        const char c = rest_[0];
        const char next = rest_.size() > 1 ? rest_[1] : '\0';
        if (is_space(c)) {
            spaces();
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else if (c == '`') {
            raw();
        } else if (c == '$') {
            name(Kind::Variable);
        } else if (c == '.' && !is_digit(next)) {
            name(Kind::Field);
        } else if (c == '.' || c == '+' || c == '-' || is_digit(c)) {
            number();
        } else if (is_word_character(c)) {
            name(Kind::Word);
        } else if (c == ':' && next == '=') {
            add(Kind::Symbol, ":=", 2);
        } else if (std::string_view("()|=,").find(c) != std::string_view::npos) {
            depth_ += c == '(' ? 1 : c == ')' ? -1 : 0;
            add(Kind::Symbol, std::string(1, c), 1);
            if (depth_ < 0) {
                fail("a \")\" closes nothing");
            }
        } else {
            fail(fmt::format("\"{}\" in a template", rest_.substr(0, front_character(rest_).size)));
        }
    }

    // Reads a run of spaces. The last one may belong to a closing mark that trims.
    void spaces() {
        std::size_t size = 1;
        while (size < rest_.size() && is_space(rest_[size])) {
            ++size;
        }
        const std::string_view whole = std::exchange(rest_, rest_.substr(size - 1));
        if (!is_at_trimming_end()) {
            rest_ = whole.substr(size);
        } else if (size == 1) {
            return;
        }
        out_.tokens.push_back({Kind::Space, " "});
    }

    void name(Kind kind) {
        std::size_t size = kind == Kind::Word ? 0 : 1;
        while (size < rest_.size() && is_word_character(rest_[size])) {
            ++size;
        }
        const std::string_view behind = rest_.substr(size);
        const bool is_whole =
            behind.empty() || is_space(behind[0]) ||
            std::string_view(".,|:)(").find(behind[0]) != std::string_view::npos ||
            behind.starts_with(close_);
        if (!is_whole) {
            return fail(fmt::format("\"{}\" behind \"{}\"",
                                    behind.substr(0, front_character(behind).size),
                                    rest_.substr(0, size)));
        }
        add(kind == Kind::Field && size == 1 ? Kind::Dot : kind, rest_.substr(0, size), size);
    }

    std::size_t run_of(std::size_t from, std::string_view characters) const {
        return std::min(rest_.find_first_not_of(characters, from), rest_.size());
    }

    [[nodiscard]] bool is_one_of(std::size_t at, std::string_view characters) const {
        return at < rest_.size() && characters.find(rest_[at]) != std::string_view::npos;
    }

    void number() {
        std::size_t end = is_one_of(0, "+-") ? 1 : 0;
        std::string_view digits = "0123456789_";
        if (is_one_of(end, "0")) {
            ++end;
            digits = is_one_of(end, "xX")   ? "0123456789abcdefABCDEF_"
                     : is_one_of(end, "oO") ? "01234567_"
                     : is_one_of(end, "bB") ? "01_"
                                            : digits;
            end += is_one_of(end, "xXoObB") ? 1 : 0;
        }
        end = run_of(end, digits);
        if (is_one_of(end, ".")) {
            end = run_of(end + 1, digits);
        }
        if (digits.size() == 11 && is_one_of(end, "eE")) {
            end += is_one_of(end + 1, "+-") ? 2 : 1;
            end = run_of(end, "0123456789_");
        }
        if (end < rest_.size() && (is_word_character(rest_[end]) || is_one_of(end, "+-") ||
                                   static_cast<unsigned char>(rest_[end]) >= 0x80)) {
            return fail(fmt::format("\"{}\" as a number", rest_.substr(0, end + 1)));
        }
        add(Kind::Number, rest_.substr(0, end), end);
    }

    void raw() {
        const std::size_t end = rest_.find('`', 1);
        if (end == std::string_view::npos) {
            return fail("a text in a template does not end");
        }
        std::string text(rest_.substr(1, end - 1));
        std::erase(text, '\r');
        add(Kind::Text, text, end + 1);
    }

    void quoted(char mark) {
        std::string text;
        std::size_t at = 1;
        std::size_t characters = 0;
        char32_t code = 0;
        for (; at < rest_.size() && rest_[at] != mark && rest_[at] != '\n'; ++characters) {
            if (rest_[at] == '\\') {
                if (!escape(at, mark, text, code)) {
                    return fail(fmt::format("\"{}\" in a text", rest_.substr(0, at + 2)));
                }
                continue;
            }
            const FrontCharacter front = front_character(rest_.substr(at));
            code = front.code;
            text += rest_.substr(at, front.size);
            at += front.size;
        }
        if (at >= rest_.size() || rest_[at] != mark) {
            return fail("a text in a template does not end");
        }
        if (mark == '"') {
            return add(Kind::Text, text, at + 1);
        }
        if (characters != 1) {
            return fail("a character literal has other than one character");
        }
        add(Kind::Character, fmt::format("{}", static_cast<std::uint32_t>(code)), at + 1);
    }

    // Reads an escape sequence and moves `at` after it. Returns false if Go does not have it.
    bool escape(std::size_t& at, char mark, std::string& text, char32_t& code) const {
        constexpr std::string_view kLetters = "abfnrtv\\";
        constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
        const char letter = at + 1 < rest_.size() ? rest_[at + 1] : '\0';
        const std::size_t known = kLetters.find(letter);
        if (letter != '\0' && (known != std::string_view::npos || letter == mark)) {
            const char meaning = letter == mark ? mark : kMeanings[known];
            text += meaning;
            code = static_cast<unsigned char>(meaning);
            at += 2;
            return true;
        }
        const bool is_octal = letter >= '0' && letter <= '7';
        const std::size_t count = is_octal        ? 3
                                  : letter == 'x' ? 2
                                  : letter == 'u' ? 4
                                  : letter == 'U' ? 8
                                                  : 0;
        const std::size_t from = at + (is_octal ? 1 : 2);
        const unsigned base = is_octal ? 8 : 16;
        if (count == 0 || from + count > rest_.size()) {
            return false;
        }
        code = 0;
        for (std::size_t i = from; i < from + count; ++i) {
            const std::optional<unsigned> digit = digit_of_base(rest_[i], base);
            if (!digit) {
                return false;
            }
            code = code * base + *digit;
        }
        if (is_octal || letter == 'x') {  // they give a byte, not a character
            text += static_cast<char>(code);
        } else {
            append_character(code, text);
        }
        at = from + count;
        return is_octal || letter == 'x' ? code < 0x100
                                         : code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
    }

    std::string_view& rest_;
    std::string_view close_;
    std::string& failure_;
    TemplateAction out_;
    int depth_ = 0;
};

}  // namespace

TemplateAction lex_action(std::string_view& rest, std::string_view close, std::string& failure) {
    return ActionLexer(rest, close, failure).run();
}

}  // namespace renderer::engines
