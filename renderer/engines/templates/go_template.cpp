#include "renderer/engines/templates/go_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/base/utf8.h"
#include "renderer/engines/templates/template_functions.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

using Operand = TemplateOperand;
using Command = TemplateCommand;

constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kLargestOutput = 1U << 20U;

class Runner {
public:
    Runner(const Value& data, bool strict, std::string& failure, const TemplateMarks& marks,
           const TemplateTypes& types)
        : heap_(types),
          data_name_(marks.data),
          data_(heap_.given(data, GoPlace::Root)),
          strict_(strict),
          failure_(failure) {
        variables_.emplace_back("$", dot());
    }

    std::string run(const std::vector<TemplateNode>& nodes) {
        body(nodes, dot());
        // A slice of a string may be cut within a character.
        if (find_bad_utf8(out_) != std::string::npos) {
            fail("a text is not UTF-8");
        }
        return std::move(out_);
    }

private:
    enum class Leap : std::uint8_t { None, Break, Continue };

    [[nodiscard]] GoValue dot() const { return data_name_.empty() ? data_ : GoValue(); }

    void fail(std::string why) {
        if (failure_.empty()) {
            failure_ = std::move(why);
        }
    }

    GoValue failed(std::string why) {
        fail(std::move(why));
        return {};
    }

    void body(const std::vector<TemplateNode>& nodes, const GoValue& dot) {
        for (const TemplateNode& node : nodes) {
            if (!failure_.empty() || leap_ != Leap::None) {
                break;
            }
            step(node, dot);
        }
    }

    void write(std::string_view text) {
        out_ += text;
        if (out_.size() > kLargestOutput) {
            fail("the text is too long");
        }
    }

    bool count_step() {
        if (++steps_ > kMostSteps) {
            fail("the template takes too long");
        }
        return failure_.empty();
    }

    void step(const TemplateNode& node, const GoValue& dot) {
        if (!count_step()) {
            return;
        }
        const std::size_t scope = variables_.size();
        switch (node.kind) {
            case TemplateNode::Kind::Text:
                return write(node.text);
            case TemplateNode::Kind::Action:
                return action(node.pipeline, dot);  // its variables stay declared
            case TemplateNode::Kind::Break:
            case TemplateNode::Kind::Continue:
                leap_ = node.kind == TemplateNode::Kind::Break ? Leap::Break : Leap::Continue;
                return;
            case TemplateNode::Kind::Range:
                range(node, dot);
                break;
            case TemplateNode::Kind::If:
            case TemplateNode::Kind::With:
                choose(node, dot);
                break;
        }
        variables_.resize(std::min(scope, variables_.size()));
    }

    void action(const TemplatePipeline& pipeline, const GoValue& dot) {
        const GoValue value = evaluate(pipeline, dot);
        if (!failure_.empty() || !pipeline.variables.empty()) {
            return;
        }
        const std::optional<std::string> text =
            value.is_nothing() ? std::optional<std::string>("<no value>") : printed(value);
        if (text) {
            write(*text);
        } else {
            fail("only Go can print this value");
        }
    }

    void choose(const TemplateNode& node, const GoValue& dot) {
        const GoValue value = evaluate(node.pipeline, dot);
        const bool holds = truth(value);
        if (failure_.empty()) {
            const bool is_with = node.kind == TemplateNode::Kind::With;
            body(holds ? node.body : node.otherwise, holds && is_with ? value : dot);
        }
    }

    bool truth(const GoValue& value) {
        const std::optional<bool> found = truth_of(value);
        if (!found) {
            fail("a number is spelled in an unusual way");
        }
        return found.value_or(false);
    }

    // `range $i, $x := list`.
    void range(const TemplateNode& node, const GoValue& dot) {
        const GoValue over = evaluate(node.pipeline, dot);
        const std::size_t scope = variables_.size();
        std::size_t count = 0;
        const auto once = [&](const GoValue& key, const GoValue& item) {
            ++count;
            bind(node.pipeline, scope, key, item);
            body(node.body, item);
            variables_.resize(std::min(scope, variables_.size()));
            return failure_.empty() && std::exchange(leap_, Leap::None) != Leap::Break &&
                   count_step();
        };
        if (!failure_.empty()) {
            return;
        }
        if (over.is_list()) {
            if (over.list() != nullptr && over.list()->is_unordered) {
                return fail("range over a list in random order");
            }
            const std::size_t size = over.size();
            for (std::size_t i = 0; i < size; ++i) {
                const GoValue item = over.items()[i];
                if (!once(GoValue::integer(static_cast<std::int64_t>(i)), item)) {
                    break;
                }
            }
        } else if (over.is_map() && over.map() != nullptr) {
            const GoMap::Entries entries = over.map()->entries();
            for (const auto& [key, item] : entries) {
                if (!once(GoValue::text(key), item)) {
                    break;
                }
            }
        } else if (over.is_integer()) {
            if (node.pipeline.variables.size() > 1) {
                return fail("range takes one variable over a number");
            }
            for (std::int64_t i = 0; i < over.whole(); ++i) {
                if (!once({}, over.is(GoKind::Int) ? GoValue::integer(i) : GoValue::integer64(i))) {
                    break;
                }
            }
        } else if (!over.is_nothing() && !over.is_map()) {
            return fail(fmt::format("range does not take {}", type_of(over)));
        }
        if (count == 0) {
            body(node.otherwise, dot);
        }
    }

    // Sets the variables of a range, which its pipeline declared or which existed before.
    void bind(const TemplatePipeline& pipeline, std::size_t scope, const GoValue& key,
              const GoValue& item) {
        const std::size_t names = pipeline.variables.size();
        for (std::size_t i = 0; i < names; ++i) {
            const bool is_key = names > 1 && i == 0;
            if (pipeline.assigns) {
                assign(pipeline.variables[i], is_key ? key : item);
            } else {
                variables_[scope - names + i].second = is_key ? key : item;
            }
        }
    }

    void assign(const std::string& name, const GoValue& value) {
        if (GoValue* known = find_variable(name)) {
            *known = value;
        } else {
            fail(fmt::format("there is no variable {}", name));
        }
    }

    GoValue* find_variable(std::string_view name) {
        const auto known = std::find_if(variables_.rbegin(), variables_.rend(),
                                        [&](const auto& one) { return one.first == name; });
        return known == variables_.rend() ? nullptr : &known->second;
    }

    GoValue evaluate(const TemplatePipeline& pipeline, const GoValue& dot) {
        GoValue value;
        bool is_first = true;
        for (const Command& command : pipeline.commands) {
            const GoValue before = value;
            value = run_command(command, dot, std::exchange(is_first, false) ? nullptr : &before);
            if (!failure_.empty()) {
                return {};
            }
            value = value.is(GoKind::Nil) ? GoValue() : value;
        }
        for (const std::string& name : pipeline.variables) {
            if (pipeline.assigns) {
                assign(name, value);
            } else {
                variables_.emplace_back(name, value);
            }
        }
        return value;
    }

    // `piped`: the last argument, from the command before.
    GoValue run_command(const Command& command, const GoValue& dot, const GoValue* piped) {
        const Operand& first = command.operands.front();
        const bool has_arguments = command.operands.size() > 1 || piped != nullptr;
        if (!count_step()) {
            return {};
        }
        if (first.kind == Operand::Kind::Function && first.fields.empty()) {
            return call(first.text, &command, dot, piped);
        }
        if (first.kind == Operand::Kind::Nil) {
            return failed("nil is not a value");
        }
        if (has_arguments && first.fields.empty()) {
            return failed("something that is not a function has arguments");
        }
        return operand(first, dot, has_arguments);
    }

    // `has_arguments`: the last field has arguments, which it does not accept.
    GoValue operand(const Operand& operand, const GoValue& dot, bool has_arguments = false) {
        switch (operand.kind) {
            case Operand::Kind::Dot:
                return dot;
            case Operand::Kind::Nil:
                return GoValue::nil();
            case Operand::Kind::Bool:
                return GoValue::flag(operand.text == "true");
            case Operand::Kind::Number:
                return constant(operand);
            case Operand::Kind::Text:
                return GoValue::text(operand.text);
            case Operand::Kind::Field:
                return fields(dot, operand, has_arguments);
            case Operand::Kind::Variable:
                if (const GoValue* known = find_variable(operand.text)) {
                    return fields(*known, operand, has_arguments);
                }
                return failed(fmt::format("there is no variable {}", operand.text));
            case Operand::Kind::Function:
                return fields(call(operand.text, nullptr, dot, nullptr), operand, has_arguments);
            case Operand::Kind::Brackets:
                break;
        }
        return fields(evaluate(*operand.within, dot), operand, has_arguments);
    }

    GoValue constant(const Operand& operand) {
        const TemplateNumber& number = operand.number;
        return number.is_real ? GoValue::real(*number.real) : GoValue::integer(*number.whole);
    }

    // Evaluates `.a.b` on a value.
    GoValue fields(GoValue value, const Operand& of, bool has_arguments) {
        for (std::size_t i = 0; i < of.fields.size() && failure_.empty(); ++i) {
            const bool takes = has_arguments && i + 1 == of.fields.size();
            value = field(value, of.fields[i], takes, of);
        }
        return value;
    }

    GoValue field(const GoValue& value, const std::string& key, bool has_arguments,
                  const Operand& of) {
        const auto where = [&] { return fmt::format("{}.{}", of.text, fmt::join(of.fields, ".")); };
        if (value.is(GoKind::Missing)) {
            return strict_ ? failed(fmt::format("there is no \"{}\" in \"{}\"", key, where()))
                           : GoValue();
        }
        if (!value.is_map()) {
            return failed(fmt::format("there is no \"{}\" in \"{}\"", key, where()));
        }
        if (has_arguments) {
            return failed(fmt::format("\"{}\" takes no arguments", where()));
        }
        const GoValue* found = value.map() == nullptr ? nullptr : value.map()->find(key);
        if (found == nullptr && strict_) {
            return failed(fmt::format("there is no \"{}\" in \"{}\"", key, where()));
        }
        return found == nullptr ? GoValue() : *found;
    }

    // Evaluates an argument for a parameter of that type.
    GoValue argument(const Operand& given, const GoValue& dot, char parameter,
                     const std::string& function) {
        GoValue value;
        if (given.kind == Operand::Kind::Number && parameter != 'a' && parameter != 'v') {
            const TemplateNumber& number = given.number;
            return parameter == 'i' && number.whole ? GoValue::integer(*number.whole)
                   : parameter == 'f' && number.real
                       ? GoValue::real(*number.real)
                       : failed(fmt::format("{}: of a number", function));
        }
        if (given.kind == Operand::Kind::Nil) {
            value = parameter == 'a' ? GoValue::nil() : GoValue();
        } else {
            value = operand(given, dot);
        }
        return parameter_of(value, parameter, function);
    }

    GoValue parameter_of(const GoValue& value, char parameter, const std::string& function) {
        if (!failure_.empty()) {
            return {};
        }
        std::optional<GoValue> found = as_parameter(value, parameter);
        return found ? std::move(*found)
                     : failed(fmt::format("{}: of {}", function, type_of(value)));
    }

    // `command`: has the arguments; null if there are none.
    GoValue call(const std::string& name, const Command* command, const GoValue& dot,
                 const GoValue* piped) {
        static const std::vector<Operand> kNoOperands;
        const std::vector<Operand>& operands = command == nullptr ? kNoOperands : command->operands;
        const std::size_t given = operands.empty() ? 0 : operands.size() - 1;
        const std::size_t count = given + (piped == nullptr ? 0 : 1);
        if (name == data_name_ && !name.empty()) {
            const GoValue* found = data_.is_map() ? data_.map()->find(name) : nullptr;
            return count > 0 || found == nullptr ? failed("the inputs take no arguments") : *found;
        }
        if (name == "or" || name == "and") {
            return decide(name == "or", operands, dot, piped);
        }
        const TemplateFunction* function = find_template_function(name);
        if (function == nullptr) {
            return failed(fmt::format("{}: no such function here", name));
        }
        if (count < function->fixed() || (count > function->fixed() && !function->is_variadic())) {
            return failed(fmt::format("{}: {} arguments", name, count));
        }
        TemplateCall call{.name = name, .heap = heap_, .is_flux = !data_name_.empty()};
        for (std::size_t i = 0; i < given && failure_.empty(); ++i) {
            call.arguments.push_back(argument(operands[i + 1], dot, function->parameter(i), name));
        }
        if (piped != nullptr && failure_.empty()) {
            call.arguments.push_back(parameter_of(*piped, function->parameter(given), name));
        }
        if (!failure_.empty()) {
            return {};
        }
        GoValue result = call_template_function(*function, call);
        return call.failure.empty() ? result : failed(fmt::format("{}: {}", name, call.failure));
    }

    // `or` and `and`: returns the first argument that decides; later ones are not evaluated.
    GoValue decide(bool is_or, const std::vector<Operand>& operands, const GoValue& dot,
                   const GoValue* piped) {
        GoValue value;
        if (operands.size() < 2 && piped == nullptr) {
            return failed("\"or\" and \"and\" need arguments");
        }
        for (std::size_t i = 1; i < operands.size() && failure_.empty(); ++i) {
            value = argument(operands[i], dot, 'v', is_or ? "or" : "and");
            if (failure_.empty() && truth(value) == is_or) {
                return value;
            }
        }
        return piped == nullptr ? value : *piped;
    }

    TemplateHeap heap_;
    std::string data_name_;
    GoValue data_;
    bool strict_;
    std::string& failure_;
    std::string out_;
    std::size_t steps_ = 0;
    Leap leap_ = Leap::None;
    std::vector<std::pair<std::string, GoValue>> variables_;
};

}  // namespace

std::optional<std::string> render_go_template(std::string_view text, const Value& data, bool strict,
                                              std::string& failure, const TemplateMarks& marks,
                                              const TemplateTypes& types) {
    const auto nodes = parse_template(text, failure, marks);
    std::string out;
    if (nodes) {
        out = Runner(data, strict, failure, marks, types).run(*nodes);
    }
    if (failure.empty()) {
        return out;
    }
    // It may quote half a character.
    failure.resize(std::min(find_bad_utf8(failure), failure.size()));
    return std::nullopt;
}

}  // namespace renderer::engines
