#include "renderer/load/roots/go_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/load/roots/template_functions.h"
#include "renderer/load/roots/template_parser.h"

namespace renderer {

namespace {

using Kind = TemplateToken::Kind;

constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kLargestOutput = 1U << 20U;
constexpr int kDeepestNode = 40;

class Runner {
public:
    Runner(const Value& data, bool strict, std::string& failure)
        : strict_(strict), failure_(failure) {
        variables_.emplace_back("$", data.clone());
    }

    std::string run(const std::vector<TemplateNode>& nodes, const Value& dot) {
        body(nodes, dot);
        return std::move(out_);
    }

private:
    void fail(std::string why) {
        if (failure_.empty()) {
            failure_ = std::move(why);
        }
    }

    void body(const std::vector<TemplateNode>& nodes, const Value& dot) {
        const std::size_t scope = variables_.size();
        for (const TemplateNode& node : nodes) {
            if (!failure_.empty()) {
                break;
            }
            step(node, dot);
        }
        variables_.resize(scope);
    }

    void write(std::string_view text) {
        out_ += text;
        if (out_.size() > kLargestOutput) {
            fail("the text is too long");
        }
    }

    void step(const TemplateNode& node, const Value& dot) {
        if (++steps_ > kMostSteps) {
            return fail("the template takes too long");
        }
        if (node.kind == TemplateNode::Kind::Text) {
            return write(node.text);
        }
        const std::size_t scope = variables_.size();
        if (node.kind == TemplateNode::Kind::Range) {
            range(node, dot);
            variables_.resize(scope);
            return;
        }
        bool is_printed = true;
        const Value value = statement(node.action, dot, is_printed);
        if (node.kind == TemplateNode::Kind::Action) {
            const std::optional<std::string> text = printed(value);
            if (failure_.empty() && is_printed && !text) {
                fail("a list or a map as a text");
            } else if (is_printed && text) {
                write(*text);
            }
            return;  // what it declares stays
        }
        if (failure_.empty()) {
            const bool holds = is_true(value);
            const bool is_with = node.kind == TemplateNode::Kind::With;
            body(holds ? node.body : node.otherwise, holds && is_with ? value : dot);
        }
        variables_.resize(scope);
    }

    // `range $i, $x := list`.
    void range(const TemplateNode& node, const Value& dot) {
        std::vector<TemplateToken> tokens = node.action;
        std::vector<std::string> names;
        const auto declared = std::ranges::find(tokens, ":=", &TemplateToken::text);
        if (declared != tokens.end() && declared->kind == Kind::Symbol) {
            for (auto token = tokens.begin(); token != declared; ++token) {
                if (token->kind == Kind::Variable) {
                    names.push_back(token->text);
                }
            }
            tokens.erase(tokens.begin(), declared + 1);
        }
        bool unused = false;
        const Value over = statement(tokens, dot, unused);
        if (!failure_.empty()) {
            return;
        }
        if (!is_true(over)) {
            return body(node.otherwise, dot);
        }
        const auto once = [&](const Value& key, const Value& item) {
            const std::size_t scope = variables_.size();
            if (!names.empty()) {
                variables_.emplace_back(names.back(), item.clone());
            }
            if (names.size() > 1) {
                variables_.emplace_back(names.front(), key.clone());
            }
            body(node.body, item);
            variables_.resize(scope);
        };
        if (over.is_list()) {
            std::int64_t at = 0;
            for (const Value& item : over.items()) {
                once(at++, item);
            }
        } else if (over.is_map()) {
            std::vector<const Member*> sorted;
            for (const Member& member : over.members()) {
                sorted.push_back(&member);
            }
            std::ranges::sort(sorted, {}, [](const Member* one) { return one->name(); });
            for (const Member* member : sorted) {
                once(member->key, member->value);
            }
        } else {
            fail("range over what is no list");
        }
    }

    // A pipeline, or one whose value a variable takes.
    Value statement(const std::vector<TemplateToken>& tokens, const Value& dot, bool& is_printed) {
        tokens_ = &tokens;
        at_ = 0;
        const bool takes = tokens.size() > 1 && tokens[0].kind == Kind::Variable &&
                           (tokens[1].text == ":=" || tokens[1].text == "=") &&
                           tokens[1].kind == Kind::Symbol;
        at_ = takes ? 2 : 0;
        Value value = pipeline(dot, 0);
        if (failure_.empty() && at_ != tokens.size()) {
            fail(fmt::format("\"{}\" in a template", tokens[at_].text));
        }
        if (takes) {
            is_printed = false;
            const auto known =
                std::find_if(variables_.rbegin(), variables_.rend(),
                             [&](const auto& one) { return one.first == tokens[0].text; });
            if (tokens[1].text == "=" && known != variables_.rend()) {
                known->second = value.clone();
            } else {
                variables_.emplace_back(tokens[0].text, value.clone());
            }
        }
        return value;
    }

    [[nodiscard]] const TemplateToken* peek() const {
        return at_ < tokens_->size() ? &(*tokens_)[at_] : nullptr;
    }

    bool take_symbol(std::string_view text) {
        const TemplateToken* token = peek();
        const bool is_it = token != nullptr && token->kind == Kind::Symbol && token->text == text;
        at_ += is_it ? 1 : 0;
        return is_it;
    }

    Value pipeline(const Value& dot, int depth) {
        if (depth == kDeepestNode) {
            fail("too many brackets within each other");
            return {};
        }
        Value value = command(dot, nullptr, depth);
        while (failure_.empty() && take_symbol("|")) {
            const Value before = std::move(value);
            value = command(dot, &before, depth);
        }
        return value;
    }

    // A function with its arguments, or one operand. `piped` is the last argument.
    Value command(const Value& dot, const Value* piped, int depth) {
        const TemplateToken* first = peek();
        const bool is_call = first != nullptr && first->kind == Kind::Word &&
                             first->text != "true" && first->text != "false" &&
                             first->text != "nil";
        if (!is_call) {
            if (piped != nullptr) {
                fail("a pipe into what is no function");
            }
            return operand(dot, depth);
        }
        ++at_;
        TemplateCall call{.name = first->text};
        const bool is_or = call.name == "or";
        const bool is_and = call.name == "and";
        bool is_decided = false;
        while (failure_.empty() && !ends_operand()) {
            Value argument = operand(dot, depth);
            if (is_decided) {  // is not evaluated
                failure_.clear();
                continue;
            }
            is_decided = (is_or && is_true(argument)) || (is_and && !is_true(argument));
            call.arguments.push_back(std::move(argument));
        }
        if (piped != nullptr && !is_decided) {
            call.arguments.push_back(piped->clone());
        }
        if (!failure_.empty()) {
            return {};
        }
        if ((is_or || is_and) && !call.arguments.empty()) {
            const auto decides = [&](const Value& one) { return is_true(one) == is_or; };
            const auto found = std::ranges::find_if(call.arguments, decides);
            return (found == call.arguments.end() ? call.arguments.back() : *found).clone();
        }
        return result_of(call);
    }

    Value result_of(TemplateCall& call) {
        Value result = call_template_function(call);
        if (!call.failure.empty()) {
            fail(fmt::format("{}: {}", call.name, call.failure));
        }
        return result;
    }

    [[nodiscard]] bool ends_operand() const {
        const TemplateToken* token = peek();
        return token == nullptr ||
               (token->kind == Kind::Symbol && (token->text == "|" || token->text == ")"));
    }

    Value operand(const Value& dot, int depth) {
        const TemplateToken* token = peek();
        if (token == nullptr) {
            fail("nothing between \"{{\" and \"}}\"");
            return {};
        }
        ++at_;
        switch (token->kind) {
            case Kind::Text:
                return token->text;
            case Kind::Number:
                return Value::number(token->text);
            case Kind::Field:
                return field(dot, token->text);
            case Kind::Variable:
                return variable(token->text);
            case Kind::Word:
                return word(token->text);
            case Kind::Symbol:
                break;
        }
        if (token->text != "(") {
            fail(fmt::format("\"{}\" in a template", token->text));
            return {};
        }
        Value value = pipeline(dot, depth + 1);
        if (!take_symbol(")")) {
            fail("a \"(\" without \")\"");
        }
        const TemplateToken* next = peek();
        if (failure_.empty() && next != nullptr && next->kind == Kind::Field && next->is_glued) {
            ++at_;
            return field(value, next->text);
        }
        return value;
    }

    Value word(const std::string& name) {
        if (name == "true" || name == "false") {
            return name == "true";
        }
        if (name != "nil") {
            TemplateCall call{.name = name};
            return result_of(call);
        }
        return {};
    }

    Value variable(std::string_view text) {
        const std::size_t dot = std::min(text.find('.'), text.size());
        const std::string_view name = text.substr(0, dot);
        const auto known = std::find_if(variables_.rbegin(), variables_.rend(),
                                        [&](const auto& one) { return one.first == name; });
        if (known == variables_.rend()) {
            fail(fmt::format("no variable {}", name));
            return {};
        }
        return field(known->second, text.substr(dot));
    }

    // `.a.b` of a value; `.` is the value.
    Value field(const Value& of, std::string_view path) {
        const Value* value = &of;
        for (const std::string_view key : split(path, '.')) {
            if (key.empty()) {
                continue;
            }
            if (value->is_null() && !strict_) {
                return {};
            }
            const Value* next = value->is_map() ? value->find(key) : nullptr;
            if (next == nullptr) {
                if (strict_ || !value->is_map()) {
                    fail(fmt::format("no \"{}\" in \"{}\"", key, path));
                }
                return {};
            }
            value = next;
        }
        return value->clone();
    }

    bool strict_;
    std::string& failure_;
    std::string out_;
    std::size_t steps_ = 0;
    std::vector<std::pair<std::string, Value>> variables_;
    const std::vector<TemplateToken>* tokens_ = nullptr;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> render_go_template(std::string_view text, const Value& data, bool strict,
                                              std::string& failure, const TemplateMarks& marks) {
    const auto nodes = parse_template(text, failure, marks);
    if (!nodes) {
        return std::nullopt;
    }
    std::string out = Runner(data, strict, failure).run(*nodes, data);
    return failure.empty() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace renderer
