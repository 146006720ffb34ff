#include "renderer/load/roots/template_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/ascii.h"

namespace renderer {

namespace {

using Kind = TemplateToken::Kind;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr int kDeepestTemplate = 40;

bool is_name(char c) {
    return is_alphanumeric(c) || c == '_';
}

// The tokens of one action. An unknown character ends them with a failure.
class Lexer {
public:
    Lexer(std::string_view text, std::string& failure) : text_(text), failure_(failure) {}

    std::vector<TemplateToken> run() {
        std::vector<TemplateToken> tokens;
        while (failure_.empty()) {
            const std::size_t begin = text_.find_first_not_of(kSpaces, at_);
            if (begin == std::string_view::npos) {
                break;
            }
            const bool is_glued = begin == at_;
            at_ = begin;
            tokens.push_back(next());
            tokens.back().is_glued = is_glued;
        }
        return tokens;
    }

private:
    TemplateToken next() {
        const char c = text_[at_];
        if (c == '"' || c == '`') {
            return quoted(c);
        }
        if (c == '.' || c == '$') {
            return taken(c == '.' ? Kind::Field : Kind::Variable,
                         [](char one) { return is_name(one) || one == '.'; });
        }
        if (is_digit(c) || (c == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            return taken(Kind::Number, [](char one) { return is_digit(one) || one == '.'; });
        }
        if (is_letter(c) || c == '_') {
            return taken(Kind::Word, is_name);
        }
        const std::size_t size = text_.substr(at_).starts_with(":=") ? 2 : 1;
        if (std::string_view("()|,=:").find(c) == std::string_view::npos) {
            failure_ = fmt::format("\"{}\" in a template", c);
        }
        at_ += size;
        return {Kind::Symbol, std::string(text_.substr(at_ - size, size))};
    }

    template <typename Is>
    TemplateToken taken(Kind kind, Is is) {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && is(text_[at_])) {
            ++at_;
        }
        return {kind, std::string(text_.substr(begin, at_ - begin))};
    }

    TemplateToken quoted(char mark) {
        TemplateToken token{Kind::Text, ""};
        for (++at_; at_ < text_.size() && text_[at_] != mark; ++at_) {
            if (mark == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
                const char escaped = text_[++at_];
                token.text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
            } else {
                token.text += text_[at_];
            }
        }
        if (at_ == text_.size()) {
            failure_ = "a text in a template does not end";
        }
        ++at_;
        return token;
    }

    std::string_view text_;
    std::string& failure_;
    std::size_t at_ = 0;
};

class Parser {
public:
    Parser(std::string_view text, const TemplateMarks& marks, std::string& failure)
        : rest_(text), marks_(marks), failure_(failure) {}

    std::vector<TemplateNode> run() {
        std::vector<TemplateNode> nodes = block(0);
        if (failure_.empty() && !end_.empty()) {
            failure_ = fmt::format("\"{}\" without a beginning", end_.front().text);
        }
        return nodes;
    }

private:
    static bool is_word(const std::vector<TemplateToken>& tokens, std::string_view word) {
        return !tokens.empty() && tokens.front().kind == Kind::Word && tokens.front().text == word;
    }

    // Up to `end` or `else`, which is left in `end_`, or to the end of the text.
    std::vector<TemplateNode> block(int depth) {
        std::vector<TemplateNode> nodes;
        end_.clear();
        while (failure_.empty() && !rest_.empty()) {
            literal(nodes);
            if (rest_.empty()) {
                break;
            }
            std::vector<TemplateToken> tokens = action();
            if (is_word(tokens, "end") || is_word(tokens, "else")) {
                end_ = std::move(tokens);
                return nodes;
            }
            if (!tokens.empty()) {
                nodes.push_back(node(std::move(tokens), depth));
            }
        }
        return nodes;
    }

    // Text up to the next action. `{{-` takes the white space before it away, `-}}` that behind.
    void literal(std::vector<TemplateNode>& nodes) {
        const std::size_t open = std::min(rest_.find(marks_.open), rest_.size());
        std::string_view text = rest_.substr(0, open);
        rest_.remove_prefix(open);
        if (trims_next_) {
            text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
        }
        trims_next_ = false;
        const bool trims =
            rest_.size() > 3 && rest_[2] == '-' && kSpaces.find(rest_[3]) != std::string_view::npos;
        if (trims) {
            text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
        }
        if (!text.empty()) {
            nodes.push_back({.text = text});
        }
    }

    std::vector<TemplateToken> action() {
        std::size_t close = 2;
        for (char mark = '\0'; close < rest_.size(); ++close) {
            const char c = rest_[close];
            if (mark == '"' && c == '\\') {
                ++close;
            } else if (mark != '\0') {
                mark = c == mark ? '\0' : mark;
            } else if (rest_.substr(close).starts_with(marks_.close)) {
                break;
            } else if (c == '"' || c == '`') {
                mark = c;
            }
        }
        if (close >= rest_.size()) {
            failure_ = fmt::format("a \"{}\" without \"{}\"", marks_.open, marks_.close);
            return {};
        }
        std::string_view inner = rest_.substr(2, close - 2);
        rest_.remove_prefix(close + 2);
        if (inner.size() > 1 && inner.front() == '-' &&
            kSpaces.find(inner[1]) != std::string_view::npos) {
            inner.remove_prefix(1);
        }
        if (inner.size() > 1 && inner.back() == '-' &&
            kSpaces.find(inner[inner.size() - 2]) != std::string_view::npos) {
            inner.remove_suffix(1);
            trims_next_ = true;
        }
        inner.remove_prefix(std::min(inner.find_first_not_of(kSpaces), inner.size()));
        return inner.starts_with("/*") ? std::vector<TemplateToken>()
                                       : with_data(Lexer(inner, failure_).run());
    }

    // `inputs.a`, a function and a field of what it gives, as a variable.
    [[nodiscard]] std::vector<TemplateToken> with_data(std::vector<TemplateToken> tokens) const {
        std::vector<TemplateToken> out;
        bool is_behind = false;  // the token before is the data
        for (TemplateToken& token : tokens) {
            const bool is_data =
                !marks_.data.empty() && token.kind == Kind::Word && token.text == marks_.data;
            if (is_behind && token.kind == Kind::Field && token.is_glued) {
                out.back().text += token.text;
            } else {
                if (is_data) {
                    token.kind = Kind::Variable;
                    token.text = fmt::format("$.{}", marks_.data);
                }
                out.push_back(std::move(token));
            }
            is_behind = is_data;
        }
        return out;
    }

    TemplateNode node(std::vector<TemplateToken> tokens, int depth) {
        TemplateNode made{.kind = TemplateNode::Kind::Action};
        const bool is_if = is_word(tokens, "if");
        const bool is_range = is_word(tokens, "range");
        const bool is_with = is_word(tokens, "with");
        for (const std::string_view word : {"define", "template", "block", "break", "continue"}) {
            if (is_word(tokens, word)) {
                failure_ = fmt::format("\"{}\" in a template", word);
            }
        }
        if (!is_if && !is_range && !is_with) {
            made.action = std::move(tokens);
            return made;
        }
        made.kind = is_if      ? TemplateNode::Kind::If
                    : is_range ? TemplateNode::Kind::Range
                               : TemplateNode::Kind::With;
        tokens.erase(tokens.begin());
        made.action = std::move(tokens);
        if (depth == kDeepestTemplate) {
            failure_ = "too many blocks within each other";
            return made;
        }
        made.body = block(depth + 1);
        if (is_word(end_, "else")) {
            std::vector<TemplateToken> more(end_.begin() + 1, end_.end());
            if (more.empty()) {
                made.otherwise = block(depth + 1);
            } else {  // `else if` ends with the block that it is part of
                made.otherwise.push_back(node(std::move(more), depth + 1));
                return made;
            }
        }
        if (failure_.empty() && !is_word(end_, "end")) {
            failure_ = "a block in a template does not end";
        }
        end_.clear();
        return made;
    }

    std::string_view rest_;
    TemplateMarks marks_;
    std::string& failure_;
    std::vector<TemplateToken> end_;
    bool trims_next_ = false;
};

}  // namespace

std::optional<std::vector<TemplateNode>> parse_template(std::string_view text, std::string& failure,
                                                        const TemplateMarks& marks) {
    std::vector<TemplateNode> nodes = Parser(text, marks, failure).run();
    return failure.empty() ? std::optional(std::move(nodes)) : std::nullopt;
}

}  // namespace renderer
