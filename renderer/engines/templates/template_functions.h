// The functions of templates: those of Go's text/template, of sprig, and of Argo CD and Flux that
// are implemented here. For any arguments a function returns what the Go function returns, or
// fails. Sources: Go text/template/funcs.go, github.com/Masterminds/sprig/v3, argo-cd
// applicationset/utils.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/templates/template_value.h"

namespace renderer::engines {

struct TemplateCall {
    std::string_view name;
    TemplateHeap& heap;
    bool is_flux = false;  // Flux uses an older copy of sprig
    std::vector<GoValue> arguments = {};
    std::string failure = {};  // why there is no result

    GoValue fail(std::string why) {
        failure = failure.empty() ? std::move(why) : failure;
        return {};
    }
    [[nodiscard]] const GoValue& last() const { return arguments.back(); }
    [[nodiscard]] const std::string& text(std::size_t index) const {
        return arguments[index].text();
    }
};

// `takes` has one letter per parameter: any value (a), a value with its exact Go type (v), a string
// (s), an int (i), a float64 (f), a bool (b), a map[string]any (m). `*` repeats the last one any
// number of times.
struct TemplateFunction {
    std::string_view name;
    std::string_view takes;
    GoValue (*run)(TemplateCall&);

    [[nodiscard]] bool is_variadic() const { return takes.ends_with('*'); }
    [[nodiscard]] std::size_t fixed() const { return takes.size() - (is_variadic() ? 2 : 0); }
    [[nodiscard]] char parameter(std::size_t index) const {
        return takes[index < fixed() ? index : fixed()];
    }
};

// Returns the function, or null if it is not implemented here.
const TemplateFunction* find_template_function(std::string_view name);

// True if Argo CD (or, with `is_flux`, Flux) has a function of that name.
bool is_template_function(std::string_view name, bool is_flux);

// Converts an argument to the type of a parameter. Returns nothing if Go rejects it, or only Go can
// tell.
std::optional<GoValue> as_parameter(const GoValue& value, char parameter);

// Calls the function with `call.arguments`, which must match its parameters. Returns Missing if the
// call fails.
GoValue call_template_function(const TemplateFunction& function, TemplateCall& call);

// Returns the truth of a value as `if` sees it, nothing if only Go can tell. An unset value is
// false.
std::optional<bool> truth_of(const GoValue& value);

// Converts a name to a DNS name: at most 253 lower-case letters, digits, `-` and `.`.
std::string dns_name(std::string_view name);

// ---- shared by all families of functions

std::span<const TemplateFunction> basic_functions();
std::span<const TemplateFunction> text_functions();
std::span<const TemplateFunction> word_functions();
std::span<const TemplateFunction> list_functions();
std::span<const TemplateFunction> map_functions();
std::span<const TemplateFunction> number_functions();
std::span<const TemplateFunction> document_functions();
std::span<const TemplateFunction> pattern_functions();

// Returns the value as a string. The call fails if only Go can print it.
std::string text_form(TemplateCall& call, const GoValue& value);

// Returns the items of a list as strings, without nil. Any other value is treated as a list of one
// item.
std::vector<std::string> text_forms(TemplateCall& call, const GoValue& value);

// Converts a value to an int64 as sprig does: strings are parsed, other values that are not numbers
// are 0.
std::int64_t to_int64(TemplateCall& call, const GoValue& value);

}  // namespace renderer::engines
