// Go's text/template: `{{ .path.basename | default "x" }}`, `if`, `else`, `range`, `with`,
// variables, trimmed white space. Templates within templates and methods are not known. Source: Go
// text/template.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "renderer/load/roots/template_parser.h"

namespace renderer {

// No value: `failure` says why. `strict`: a key that is not there is a failure, as with
// `goTemplateOptions: [missingkey=error]`. Time and memory are bounded, whatever the template.
std::optional<std::string> render_go_template(std::string_view text, const Value& data, bool strict,
                                              std::string& failure,
                                              const TemplateMarks& marks = {});

}  // namespace renderer
