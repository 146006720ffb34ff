// The functions of templates in Argo CD's ApplicationSets: those of Go's text/template, of sprig
// and of Argo CD that are known here. Whatever they are given, they make of it what Go makes of it,
// or fail. Sources: Go text/template/funcs.go, github.com/Masterminds/sprig/v3, argo-cd
// applicationset/utils.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/templates/template_value.h"

namespace renderer {

struct TemplateCall {
    std::string_view name;
    TemplateHeap& heap;
    bool is_flux = false;  // its functions are an older copy of sprig's
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

// Parameters, a letter each: any value (a), a value with what Go knows of it (v), a text (s), an
// int (i), a float64 (f), a bool (b), a map[string]any (m). `*`: any number of the last.
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

// Null: it is not known here.
const TemplateFunction* find_template_function(std::string_view name);

// Whether Argo CD, or Flux, has a function of that name.
bool is_template_function(std::string_view name, bool is_flux);

// What a parameter makes of a value. No value: Go refuses it, or only Go knows.
std::optional<GoValue> as_parameter(const GoValue& value, char parameter);

// The arguments are what the function takes. Missing when the call fails.
GoValue call_template_function(const TemplateFunction& function, TemplateCall& call);

// No value: only Go knows. Of what is not set it is false.
std::optional<bool> truth_of(const GoValue& value);

// Of a name what DNS allows: at most 253 lower-case letters, digits, `-` and `.`.
std::string dns_name(std::string_view name);

// ---- for functions of all families

std::span<const TemplateFunction> basic_functions();
std::span<const TemplateFunction> text_functions();
std::span<const TemplateFunction> word_functions();
std::span<const TemplateFunction> list_functions();
std::span<const TemplateFunction> map_functions();
std::span<const TemplateFunction> number_functions();
std::span<const TemplateFunction> document_functions();
std::span<const TemplateFunction> pattern_functions();

// As a text; the call fails where only Go knows it.
std::string text_form(TemplateCall& call, const GoValue& value);

// The items of a list as texts, without nil; another value is the only item.
std::vector<std::string> text_forms(TemplateCall& call, const GoValue& value);

// Of texts what they spell, of what is no number 0.
std::int64_t to_int64(TemplateCall& call, const GoValue& value);

}  // namespace renderer
