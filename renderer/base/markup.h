// Makes text that others wrote safe inside of a picture: as the content of an element or attribute
// of XML, between the quotes of a label of Mermaid or Graphviz, or as a heading of Markdown. Each
// first puts the text on one line, as printable.h does, so that no character moves, hides or
// reorders what is around it. No text can end its label, begin an element, a line or a directive,
// or be taken for a character reference.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace renderer::inline base {

// For XML 1.0, and so for SVG and HTML: content of an element, and of an attribute in quotes.
std::string xml_text(std::string_view text);

// For a label in double quotes. Everything but ASCII letters, digits and harmless signs becomes an
// entity code of Mermaid, such as "#35;" for "#".
std::string mermaid_text(std::string_view text);

// For a string in double quotes. Graphviz reads escapes that begin with a backslash, and character
// references of HTML.
std::string dot_text(std::string_view text);

// For a heading or a sentence of Markdown: nothing in it is markup, or becomes a link.
std::string markdown_text(std::string_view text);

// Returns the text, or its first characters and "…" if it has more than `most` characters.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace renderer::inline base
