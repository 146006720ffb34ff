// The functions of templates in Argo CD's ApplicationSets: those of Go's text/template, of sprig
// and of Argo CD that choose names, paths and namespaces. Sources: Go text/template/funcs.go,
// github.com/Masterminds/sprig/v3, argo-cd applicationset/utils/utils.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

struct TemplateCall {
    std::string_view name;
    std::vector<Value> arguments = {};
    std::string failure = {};  // why there is no result

    Value fail(std::string why) {
        failure = std::move(why);
        return {};
    }
};

// Null when the call fails. A text or a map that grows without end is a failure.
Value call_template_function(TemplateCall& call);

// Of a name what DNS allows: at most 253 lower-case letters, digits, `-` and `.`.
std::string dns_name(std::string_view name);

// What `if` asks of a value.
bool is_true(const Value& value);

// As `print` spells it. No value: a list or a map, which nobody names a directory after.
std::optional<std::string> printed(const Value& value);

}  // namespace renderer
