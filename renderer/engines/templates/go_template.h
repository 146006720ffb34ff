// Go's text/template, as Argo CD runs it for ApplicationSets and Flux for ResourceSets: `{{
// .path.basename | default "x" }}`, `if`, `else`, `range`, `with`, variables, trimmed white space.
// The result is what they make of it, or there is none: templates within templates are not known,
// nor is each function. Source: Go text/template/exec.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/templates/template_parser.h"
#include "renderer/engines/templates/template_value.h"

namespace renderer {

// No value: `failure` says why. `strict`: a key that is not there is a failure, as with
// `goTemplateOptions: [missingkey=error]`. Time and memory are bounded, whatever the template.
std::optional<std::string> render_go_template(std::string_view text, const Value& data, bool strict,
                                              std::string& failure, const TemplateMarks& marks = {},
                                              const TemplateTypes& types = {});

}  // namespace renderer
