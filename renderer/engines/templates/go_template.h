// Executes Go's text/template as Argo CD does for ApplicationSets and Flux for ResourceSets: `{{
// .path.basename | default "x" }}`, `if`, `else`, `range`, `with`, variables, trimmed white space.
// The result is the same as theirs, or there is none: nested templates and some functions are not
// supported. Source: Go text/template/exec.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/templates/template_parser.h"
#include "renderer/engines/templates/template_value.h"

namespace renderer::engines {

// Returns nothing on failure, with the reason in `failure`. `strict`: a missing key is a failure,
// as with `goTemplateOptions: [missingkey=error]`. Time and memory are bounded for any template.
std::optional<std::string> render_go_template(std::string_view text, const Value& data, bool strict,
                                              std::string& failure, const TemplateMarks& marks = {},
                                              const TemplateTypes& types = {});

}  // namespace renderer::engines
