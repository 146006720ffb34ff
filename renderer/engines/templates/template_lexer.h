// What an action of a Go template is made of. Source: Go text/template/parse/lex.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace renderer {

struct TemplateToken {
    enum class Kind : std::uint8_t {
        End,        // of the action
        Space,      // between what is next to each other
        Field,      // ".a"
        Variable,   // "$", "$x"
        Word,       // a function, a keyword
        Text,       // what a string means
        Number,     // as it is spelled
        Character,  // what 'a' means, in decimal
        Dot,
        Symbol,  // ( ) | := = ,
    };
    Kind kind = Kind::End;
    std::string text = {};
};

struct TemplateAction {
    std::vector<TemplateToken> tokens = {};  // the last is End
    bool trims = false;                      // the white space behind it
};

inline constexpr std::string_view kTemplateSpaces = " \t\r\n";

// The action at the front of `rest`, behind its opening mark; it is taken away with its closing
// one.
TemplateAction lex_action(std::string_view& rest, std::string_view close, std::string& failure);

}  // namespace renderer
