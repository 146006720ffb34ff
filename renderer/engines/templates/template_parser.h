// The tree of a Go template. Source: Go text/template/parse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/templates/template_lexer.h"

namespace renderer {

// A number is of the type that its place asks for, where it can be.
struct TemplateNumber {
    std::optional<std::int64_t> whole = {};
    std::optional<double> real = {};
    bool is_real = false;  // where nothing asks
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
    std::vector<std::string> fields = {};                 // `.a.b` behind it, or of a Field
    std::shared_ptr<const TemplatePipeline> within = {};  // of Brackets
};

struct TemplateCommand {
    std::vector<TemplateOperand> operands = {};
};

struct TemplatePipeline {
    std::vector<std::string> variables = {};  // that take its value
    bool assigns = false;                     // they are known before
    std::vector<TemplateCommand> commands = {};
};

struct TemplateNode {
    enum class Kind : std::uint8_t { Text, Action, If, Range, With, Break, Continue };
    Kind kind = Kind::Text;
    std::string_view text = {};  // of a Text, points into the template
    TemplatePipeline pipeline = {};
    std::vector<TemplateNode> body = {};
    std::vector<TemplateNode> otherwise = {};
};

// What actions are between, two characters each. Those of Flux's ResourceSets have no dot, but a
// function `data` that gives them the inputs, and fewer other functions.
struct TemplateMarks {
    std::string_view open = "{{", close = "}}";
    std::string_view data = {};
};

// No value: `failure` says why.
std::optional<std::vector<TemplateNode>> parse_template(std::string_view text, std::string& failure,
                                                        const TemplateMarks& marks = {});

}  // namespace renderer
