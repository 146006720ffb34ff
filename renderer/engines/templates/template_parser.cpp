#include "renderer/engines/templates/template_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "renderer/engines/templates/go_number.h"
#include "renderer/engines/templates/template_functions.h"

namespace renderer::engines {

namespace {

using Kind = TemplateToken::Kind;

constexpr int kDeepestTemplate = 40;

constexpr std::array<std::string_view, 11> kKeywords = {"block", "break",    "continue", "define",
                                                        "else",  "end",      "if",       "range",
                                                        "nil",   "template", "with"};

std::optional<TemplateNumber> template_number(const std::string& text) {
    const GoInteger whole = parse_integer(text, true);
    if (whole.fault == GoInteger::Fault::None) {
        TemplateNumber number{.whole = whole.value, .real = static_cast<double>(whole.value)};
        return number;
    }
    const GoReal real = parse_real(text);
    const bool is_fraction = text.find_first_of(".eE") != std::string::npos;
    if (!real.value || !is_fraction || whole.fault == GoInteger::Fault::Range) {
        return std::nullopt;
    }
    TemplateNumber number{.real = real.value, .is_real = true};
    constexpr double kBeyondInt64 = 9223372036854775808.0;
    if (std::abs(*real.value) < kBeyondInt64 && std::trunc(*real.value) == *real.value) {
        number.whole = static_cast<std::int64_t>(*real.value);
    }
    return number;
}

class Parser {
public:
    Parser(std::string_view text, const TemplateMarks& marks, std::string& failure)
        : rest_(text), marks_(marks), failure_(failure) {}

    std::vector<TemplateNode> run() {
        std::vector<TemplateNode> nodes = block(0);
        if (end_ != Ending::Text) {
            fail(fmt::format("\"{}\" has no beginning", end_ == Ending::End ? "end" : "else"));
        }
        return nodes;
    }

private:
    enum class Ending : std::uint8_t { Text, End, Else };  // how a block ends

    void fail(std::string why) {
        if (failure_.empty()) {
            failure_ = std::move(why);
        }
    }

    // Parses a block up to `end`, `else` or the end of the template. The rest of an `else` action
    // is in `tokens_`.
    std::vector<TemplateNode> block(int depth) {
        std::vector<TemplateNode> nodes;
        end_ = Ending::Text;
        if (depth > kDeepestTemplate) {
            fail("too many blocks within each other");
        }
        while (failure_.empty() && literal(nodes)) {
            if (is_comment()) {
                continue;
            }
            TemplateAction action = lex_action(rest_, marks_.close, failure_);
            trims_ = action.trims;
            tokens_ = std::move(action.tokens);
            at_ = 0;
            if (failure_.empty() && is_end_of_block()) {
                return nodes;
            }
            if (failure_.empty()) {
                nodes.push_back(node(depth));
            }
        }
        end_ = Ending::Text;
        return nodes;
    }

    bool is_end_of_block() {
        if (!take_word("end") && !take_word("else")) {
            end_ = Ending::Text;
            return false;
        }
        end_ = tokens_[at_ - 1].text == "end" ? Ending::End : Ending::Else;
        if (end_ == Ending::End && peek().kind != Kind::End) {
            fail(fmt::format("\"{}\" behind \"end\"", peek().text));
        }
        return true;
    }

    // Reads the text up to the next action. `{{-` trims the white space before it, `-}}` that after
    // it. Returns false if there is no further action.
    bool literal(std::vector<TemplateNode>& nodes) {
        if (std::exchange(trims_, false)) {
            rest_.remove_prefix(std::min(rest_.find_first_not_of(kTemplateSpaces), rest_.size()));
        }
        const std::size_t open = rest_.find(marks_.open);
        const bool is_action = open != std::string_view::npos;
        std::string_view text = rest_.substr(0, open);
        rest_.remove_prefix(is_action ? open + marks_.open.size() : rest_.size());
        if (is_action && rest_.size() > 1 && rest_[0] == '-' &&
            kTemplateSpaces.find(rest_[1]) != std::string_view::npos) {
            text = text.substr(0, text.find_last_not_of(kTemplateSpaces) + 1);
            rest_.remove_prefix(2);
        }
        if (!text.empty()) {
            nodes.push_back({.text = text});
        }
        return is_action;
    }

    bool is_comment() {
        if (!rest_.starts_with("/*")) {
            return false;
        }
        const std::size_t end = rest_.find("*/", 2);
        if (end == std::string_view::npos) {
            fail("a comment in a template does not end");
            return true;
        }
        rest_.remove_prefix(end + 2);
        const TemplateAction none =
            rest_.empty() ? TemplateAction() : lex_action(rest_, marks_.close, failure_);
        trims_ = none.trims;
        if (none.tokens.size() != 1) {
            fail("a comment is not all of its action");
        }
        return true;
    }

    [[nodiscard]] const TemplateToken& peek() const {
        std::size_t at = at_;
        while (tokens_[at].kind == Kind::Space) {
            ++at;
        }
        return tokens_[at];
    }

    void skip_space() {
        while (tokens_[at_].kind == Kind::Space) {
            ++at_;
        }
    }

    bool take_word(std::string_view word) {
        skip_space();
        const bool is_it = tokens_[at_].kind == Kind::Word && tokens_[at_].text == word;
        at_ += is_it ? 1 : 0;
        return is_it;
    }

    bool take_symbol(std::string_view symbol) {
        skip_space();
        const bool is_it = tokens_[at_].kind == Kind::Symbol && tokens_[at_].text == symbol;
        at_ += is_it ? 1 : 0;
        return is_it;
    }

    TemplateNode node(int depth) {
        if (take_word("if")) {
            return control(TemplateNode::Kind::If, depth);
        }
        if (take_word("range")) {
            return control(TemplateNode::Kind::Range, depth);
        }
        if (take_word("with")) {
            return control(TemplateNode::Kind::With, depth);
        }
        const bool breaks = take_word("break");
        if (breaks || take_word("continue")) {
            if (peek().kind != Kind::End || ranges_ == 0) {
                fail(fmt::format("\"{}\" outside of a range", breaks ? "break" : "continue"));
            }
            return {.kind = breaks ? TemplateNode::Kind::Break : TemplateNode::Kind::Continue};
        }
        return {.kind = TemplateNode::Kind::Action, .pipeline = pipeline(false, 0)};
    }

    TemplateNode control(TemplateNode::Kind kind, int depth) {
        const bool is_range = kind == TemplateNode::Kind::Range;
        const std::size_t scope = variables_.size();
        TemplateNode made{.kind = kind, .pipeline = pipeline(is_range, 0)};
        ranges_ += is_range ? 1 : 0;
        made.body = block(depth + 1);
        ranges_ -= is_range ? 1 : 0;
        if (failure_.empty() && end_ == Ending::Else) {
            otherwise(made, depth);
        }
        if (end_ != Ending::End) {
            fail("a block in a template does not end");
        }
        variables_.resize(std::min(scope, variables_.size()));
        return made;
    }

    // Parses what follows an `else`. `else if` and the block that it is part of share one `end`.
    void otherwise(TemplateNode& made, int depth) {
        const bool is_if = made.kind == TemplateNode::Kind::If && take_word("if");
        if (is_if || (made.kind == TemplateNode::Kind::With && take_word("with"))) {
            if (depth == kDeepestTemplate) {
                return fail("too many blocks within each other");
            }
            made.otherwise.push_back(control(made.kind, depth + 1));
            return;
        }
        if (peek().kind != Kind::End) {
            return fail(fmt::format("\"{}\" behind \"else\"", peek().text));
        }
        made.otherwise = block(depth + 1);
    }

    // Parses `$x :=` or `$x =`; `range` may have two variables. A variable that is not assigned is
    // left for the command.
    void declarations(TemplatePipeline& made, bool is_range) {
        while (peek().kind == Kind::Variable) {
            const std::size_t before = at_;
            skip_space();
            const std::string name = tokens_[at_++].text;
            const bool declares = take_symbol(":=");
            if (declares || take_symbol("=")) {
                made.assigns = !declares;
                made.variables.push_back(name);
                variables_.push_back(name);
                return;
            }
            if (!take_symbol(",")) {
                at_ = before;
                return;
            }
            made.variables.push_back(name);
            variables_.push_back(name);
            if (!is_range || made.variables.size() > 1) {
                return fail("\",\" in a template");
            }
        }
        if (!made.variables.empty()) {
            fail("\",\" in a template");
        }
    }

    TemplatePipeline pipeline(bool is_range, int brackets) {
        TemplatePipeline made;
        if (brackets > kDeepestTemplate) {
            fail("too many brackets within each other");
        }
        declarations(made, is_range);
        while (failure_.empty() && !ends_pipeline(brackets > 0)) {
            made.commands.push_back(command(brackets));
        }
        if (made.commands.empty()) {
            fail("an action has no value");
        }
        for (std::size_t i = 1; i < made.commands.size() && failure_.empty(); ++i) {
            const TemplateOperand& first = made.commands[i].operands.front();
            if (first.kind <= TemplateOperand::Kind::Text) {
                fail("a pipe into something that is not a function");
            }
        }
        return made;
    }

    bool ends_pipeline(bool is_in_brackets) {
        return is_in_brackets ? take_symbol(")") : peek().kind == Kind::End;
    }

    // Parses a command, including the `|` after it.
    TemplateCommand command(int brackets) {
        TemplateCommand made;
        while (failure_.empty()) {
            skip_space();
            if (std::optional<TemplateOperand> found = operand(brackets)) {
                made.operands.push_back(std::move(*found));
            }
            const TemplateToken& next = tokens_[at_];
            if (next.kind == Kind::Space) {
                ++at_;
                continue;
            }
            if (next.kind == Kind::Symbol && next.text == "|") {
                ++at_;
            } else if (next.kind != Kind::End &&
                       (next.kind != Kind::Symbol || next.text != ")" || brackets == 0)) {
                fail(fmt::format("\"{}\" in a template", next.text));
            }
            break;
        }
        if (made.operands.empty()) {
            fail("nothing between \"|\" and \"|\"");
        }
        return made;
    }

    std::optional<TemplateOperand> operand(int brackets) {
        const TemplateToken& token = tokens_[at_];
        TemplateOperand made;
        switch (token.kind) {
            case Kind::Dot:
                break;
            case Kind::Field:
                made.kind = TemplateOperand::Kind::Field;
                made.fields.push_back(token.text.substr(1));
                break;
            case Kind::Variable:
                made = {.kind = TemplateOperand::Kind::Variable, .text = token.text};
                if (std::ranges::find(variables_, token.text) == variables_.end()) {
                    fail(fmt::format("no variable {}", token.text));
                }
                break;
            case Kind::Text:
                made = {.kind = TemplateOperand::Kind::Text, .text = token.text};
                break;
            case Kind::Character:
            case Kind::Number:
                number(token, made);
                break;
            case Kind::Word:
                word(token.text, made);
                break;
            case Kind::Symbol:
                if (token.text != "(") {
                    return std::nullopt;
                }
                ++at_;
                made.kind = TemplateOperand::Kind::Brackets;
                made.within =
                    std::make_shared<const TemplatePipeline>(pipeline(false, brackets + 1));
                --at_;
                break;
            case Kind::End:
            case Kind::Space:
                return std::nullopt;
        }
        ++at_;
        chain(made);
        return made;
    }

    void number(const TemplateToken& token, TemplateOperand& made) {
        made.kind = TemplateOperand::Kind::Number;
        const std::optional<TemplateNumber> found = template_number(token.text);
        if (!found) {
            return fail(fmt::format("\"{}\" as a number", token.text));
        }
        made.number = *found;
    }

    void word(const std::string& name, TemplateOperand& made) {
        made.text = name;
        if (name == "true" || name == "false") {
            made.kind = TemplateOperand::Kind::Bool;
        } else if (name == "nil") {
            made.kind = TemplateOperand::Kind::Nil;
        } else {
            made.kind = TemplateOperand::Kind::Function;
            if (std::ranges::find(kKeywords, name) != kKeywords.end()) {
                fail(fmt::format("\"{}\" in a template", name));
            } else if (name != marks_.data && !is_template_function(name, !marks_.data.empty())) {
                fail(fmt::format("there is no function {}", name));
            }
        }
    }

    // Parses `.a.b` directly after an operand.
    void chain(TemplateOperand& made) {
        if (failure_.empty() && tokens_[at_].kind == Kind::Field &&
            made.kind <= TemplateOperand::Kind::Text) {
            fail(fmt::format("\"{}\" behind what has no fields", tokens_[at_].text));
        }
        while (failure_.empty() && tokens_[at_].kind == Kind::Field) {
            made.fields.push_back(tokens_[at_++].text.substr(1));
        }
    }

    std::string_view rest_;
    TemplateMarks marks_;
    std::string& failure_;
    std::vector<TemplateToken> tokens_;
    std::size_t at_ = 0;
    std::vector<std::string> variables_ = {"$"};
    Ending end_ = Ending::Text;
    int ranges_ = 0;
    bool trims_ = false;
};

}  // namespace

std::optional<std::vector<TemplateNode>> parse_template(std::string_view text, std::string& failure,
                                                        const TemplateMarks& marks) {
    std::vector<TemplateNode> nodes = Parser(text, marks, failure).run();
    return failure.empty() ? std::optional(std::move(nodes)) : std::nullopt;
}

}  // namespace renderer::engines
