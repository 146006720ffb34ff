#include "renderer/engines/flux/deciding_variables.h"

#include <algorithm>
#include <array>
#include <optional>

#include "renderer/base/pattern.h"
#include "renderer/base/split.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kOpen = "${";

// A key with a variable: blanks, a dash or a brace may be before it, and a blank follows its colon.
constexpr std::string_view kKeyWithVariable =
    R"((?:^|[{,])[\s\-"']*[\w./-]*\$\{[^}]*\}[\w./-]*["']?\s*:(?:\s|$))";

// True for a line whose variable is, or may be, a class, a key or, with `type_decides`, the type of
// a Service. In a JSON patch, the path is in another line than the value.
bool may_decide(std::string_view line, bool type_decides, bool patches_class) {
    static const std::optional<Pattern> kKeyPattern = Pattern::parse(kKeyWithVariable);
    constexpr std::array<std::string_view, 3> kFields = {"ingressClass", "loadBalancerClass",
                                                         "className"};
    const auto has = [&](std::string_view word) {
        return line.find(word) != std::string_view::npos;
    };
    return std::ranges::any_of(kFields, has) || (type_decides && has("type")) ||
           (patches_class && has("value")) || kKeyPattern->matches(line);
}

// Calls `test(name)` for each variable until one is true.
template <typename Test>
bool any_variable(std::string_view text, const Test& test) {
    for (std::size_t at = text.find(kOpen); at != std::string_view::npos;
         at = text.find(kOpen, at + 1)) {
        const std::string_view rest = text.substr(at + kOpen.size());
        if (test(rest.substr(0, rest.find_first_of("}:-=+?#%/^,\n")))) {
            return true;
        }
    }
    return false;
}

bool is_unknown(std::string_view name, const UnitVariables& variables) {
    return !variables.values.contains(name) &&
           (variables.may_have_more || variables.secret.contains(name));
}

}  // namespace

bool may_be_input_by_variable(std::string_view text, const UnitVariables& variables,
                              const std::vector<std::string>& words) {
    const bool type_decides = std::ranges::find(words, "LoadBalancer") != words.end();
    const bool patches_class = text.find("/ingressClassName") != std::string_view::npos ||
                               text.find("/loadBalancerClass") != std::string_view::npos ||
                               text.find("/spec/type") != std::string_view::npos;
    const auto makes_input = [&](std::string_view name) {
        const auto known = variables.values.find(name);
        return known != variables.values.end() ? repo::mentions_input(known->second, words)
                                               : is_unknown(name, variables);
    };
    return std::ranges::any_of(split(text, '\n'), [&](std::string_view line) {
        return line.find(kOpen) != std::string_view::npos &&
               may_decide(line, type_decides, patches_class) && any_variable(line, makes_input);
    });
}

bool has_unknown_variable(std::string_view text, const UnitVariables& variables) {
    return any_variable(text, [&](std::string_view name) { return is_unknown(name, variables); });
}

}  // namespace renderer::engines
