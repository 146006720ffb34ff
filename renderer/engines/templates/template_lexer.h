// Splits an action of a Go template into tokens. Source: Go text/template/parse/lex.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::engines {

struct TemplateToken {
    enum class Kind : std::uint8_t {
        End,        // end of the action
        Space,      // between two other tokens
        Field,      // ".a"
        Variable,   // "$", "$x"
        Word,       // a function or keyword
        Text,       // a string, unquoted
        Number,     // as spelled
        Character,  // the code of 'a', in decimal
        Dot,
        Symbol,  // ( ) | := = ,
    };
    Kind kind = Kind::End;
    std::string text = {};
};

struct TemplateAction {
    std::vector<TemplateToken> tokens = {};  // the last one is End
    bool trims = false;  // the action ends with `-}}`, which trims the white space after it
};

inline constexpr std::string_view kTemplateSpaces = " \t\r\n";

// Reads the action at the front of `rest`, after its opening mark, and removes it from `rest`
// together with its closing mark.
TemplateAction lex_action(std::string_view& rest, std::string_view close, std::string& failure);

}  // namespace renderer::engines
