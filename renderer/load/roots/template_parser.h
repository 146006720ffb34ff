// The tree of a Go template. Texts point into the template.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace renderer {

struct TemplateToken {
    enum class Kind : std::uint8_t { Field, Variable, Word, Text, Number, Symbol };
    Kind kind = Kind::Symbol;
    std::string text = {};  // of a Field ".a.b", of a Variable "$x.b", of a Text what it means
    bool is_glued = false;  // no space before it
};

struct TemplateNode {
    enum class Kind : std::uint8_t { Text, Action, If, Range, With };
    Kind kind = Kind::Text;
    std::string_view text = {};              // of a Text
    std::vector<TemplateToken> action = {};  // without the word that opens a block
    std::vector<TemplateNode> body = {};
    std::vector<TemplateNode> otherwise = {};
};

// What actions are between, two characters each, and what a template calls its data besides `$`.
struct TemplateMarks {
    std::string_view open = "{{", close = "}}";
    std::string_view data = {};  // "inputs": `inputs.a` is `$.inputs.a`
};

// No value: `failure` says why.
std::optional<std::vector<TemplateNode>> parse_template(std::string_view text, std::string& failure,
                                                        const TemplateMarks& marks = {});

}  // namespace renderer
