// Parses a Go template into a tree. Source: Go text/template/parse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/templates/template_lexer.h"

namespace renderer::engines {

// A constant takes the numeric type of the parameter it is used for, if it can be represented in
// it.
struct TemplateNumber {
    std::optional<std::int64_t> whole = {};
    std::optional<double> real = {};
    bool is_real = false;  // the type if none is required
};

struct TemplatePipeline;

struct TemplateOperand {
    enum class Kind : std::uint8_t {
        Dot,
        Nil,
        Bool,
        Number,
        Text,
        Field,     // of the dot
        Variable,  // `text` is its name
        Function,  // `text` is its name
        Brackets,
    };
    Kind kind = Kind::Dot;
    std::string text = {};
    TemplateNumber number = {};
    std::vector<std::string> fields = {};                 // the `.a.b` after it, or of a Field
    std::shared_ptr<const TemplatePipeline> within = {};  // content of Brackets
};

struct TemplateCommand {
    std::vector<TemplateOperand> operands = {};
};

struct TemplatePipeline {
    std::vector<std::string> variables = {};  // that the value is assigned to
    bool assigns = false;                     // `=`: they were declared before
    std::vector<TemplateCommand> commands = {};
};

struct TemplateNode {
    enum class Kind : std::uint8_t { Text, Action, If, Range, With, Break, Continue };
    Kind kind = Kind::Text;
    std::string_view text = {};  // of a Text; points into the template
    TemplatePipeline pipeline = {};
    std::vector<TemplateNode> body = {};
    std::vector<TemplateNode> otherwise = {};
};

// The marks around actions, two characters each. With `data`, as in Flux's ResourceSets, there is
// no dot: a function of that name returns the inputs, and fewer other functions exist.
struct TemplateMarks {
    std::string_view open = "{{", close = "}}";
    std::string_view data = {};
};

// Returns nothing on failure, with the reason in `failure`.
std::optional<std::vector<TemplateNode>> parse_template(std::string_view text, std::string& failure,
                                                        const TemplateMarks& marks = {});

}  // namespace renderer::engines
