#include "renderer/engines/templates/template_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kLargestResult = 1U << 20U;  // in bytes, of a string

// Functions whose result does not depend on the order of a list.
constexpr std::array<std::string_view, 14> kIgnoreOrder = {
    "sortAlpha", "len",     "has",     "mustHas",  "uniq",        "mustUniq", "without",
    "compact",   "default", "ternary", "coalesce", "mustWithout", "empty",    "not"};
// Functions that treat "" and nothing alike.
constexpr std::array<std::string_view, 8> kIgnoreUnset = {"eq",       "ne",    "default", "ternary",
                                                          "coalesce", "empty", "not",     "all"};

enum class Basic : std::uint8_t { None, Bool, Integer, Float, Text };

Basic basic_kind(const GoValue& value) {
    return value.is(GoKind::Bool)    ? Basic::Bool
           : value.is_integer()      ? Basic::Integer
           : value.is(GoKind::Float) ? Basic::Float
           : value.is_text()         ? Basic::Text
                                     : Basic::None;
}

bool is_go_nil(const GoValue& value) {
    return value.is_nothing() || (value.is_list() && value.list() == nullptr) ||
           (value.is_map() && value.map() == nullptr);
}

// Compares two values as `eq` does. Returns nothing if the call fails.
std::optional<bool> is_same(TemplateCall& call, const GoValue& one, const GoValue& other) {
    if (one.is(GoKind::Unset) || other.is(GoKind::Unset)) {
        const GoValue& known = one.is(GoKind::Unset) ? other : one;
        if (known.is_text() && !known.text().empty()) {
            return false;
        }
        call.fail("its key does not exist");
        return std::nullopt;
    }
    const Basic kind = basic_kind(one);
    if (kind != basic_kind(other)) {
        if (!one.is_nothing() && !other.is_nothing()) {
            call.fail(fmt::format("{} with {}", type_of(one), type_of(other)));
            return std::nullopt;
        }
        return false;
    }
    if (kind == Basic::Text) {
        return one.text() == other.text();
    }
    if (kind == Basic::Float) {
        return one.real() == other.real();
    }
    if (kind != Basic::None) {
        return one.whole() == other.whole();
    }
    const bool may_be = one.kind() == other.kind() || one.is_nothing() || other.is_nothing();
    if (!may_be || (!is_go_nil(one) && !is_go_nil(other))) {
        call.fail("lists and maps are not compared");
        return std::nullopt;
    }
    return is_go_nil(one) && is_go_nil(other);
}

GoValue equal(TemplateCall& call) {
    if (call.arguments.size() < 2) {
        return call.fail("it needs two arguments");
    }
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
        const std::optional<bool> same = is_same(call, call.arguments[0], call.arguments[i]);
        if (!same || *same) {
            return GoValue::flag(true);
        }
    }
    return GoValue::flag(false);
}

GoValue unequal(TemplateCall& call) {
    return GoValue::flag(!equal(call).flag());
}

GoValue ordered(TemplateCall& call) {
    const GoValue& one = call.arguments[0];
    const GoValue& other = call.arguments[1];
    const Basic kind = basic_kind(one);
    if (kind != basic_kind(other) || kind == Basic::None || kind == Basic::Bool) {
        return call.fail(fmt::format("{} with {}", type_of(one), type_of(other)));
    }
    const auto sign = [](const auto& a, const auto& b) { return a < b ? -1 : a == b ? 0 : 1; };
    const int order = kind == Basic::Text    ? sign(one.text(), other.text())
                      : kind == Basic::Float ? sign(one.real(), other.real())
                                             : sign(one.whole(), other.whole());
    return GoValue::flag(call.name == "lt"   ? order < 0
                         : call.name == "le" ? order <= 0
                         : call.name == "gt" ? order > 0
                                             : order >= 0);
}

GoValue negation(TemplateCall& call) {
    const std::optional<bool> truth = truth_of(call.arguments[0]);
    return truth ? GoValue::flag(!*truth) : call.fail("its number is spelled in an unusual way");
}

GoValue length(TemplateCall& call) {
    const GoValue& value = call.arguments[0];
    if (value.is_text() || value.is_list() || value.is_map()) {
        return GoValue::integer(static_cast<std::int64_t>(value.size()));
    }
    return call.fail(fmt::format("it does not take {}", type_of(value)));
}

// `index .a "b" 0`.
GoValue index(TemplateCall& call) {
    GoValue value = call.arguments[0];
    if (value.is_nothing()) {
        return call.fail("its argument is nil");
    }
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
        const GoValue& key = call.arguments[i];
        if (value.is_map() && key.is_text()) {
            const GoValue* found = value.map() == nullptr ? nullptr : value.map()->find(key.text());
            const GoElement element = value.element();
            value = found != nullptr               ? *found
                    : element == GoElement::Unsure ? GoValue::unset()
                    : element == GoElement::Text   ? GoValue::text("")
                                                   : GoValue::nil();
        } else if (value.is_list() && key.is_integer()) {
            const auto at = static_cast<std::size_t>(key.whole());
            if (key.whole() < 0 || at >= value.size()) {
                return call.fail(fmt::format("{} is out of range", key.whole()));
            }
            value = GoValue(value.items()[at]);
        } else {
            return call.fail(fmt::format("{} with {}", type_of(value), type_of(key)));
        }
    }
    return value;
}

GoValue print(TemplateCall& call) {
    std::string out;
    const bool is_line = call.name == "println";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const GoValue& value = call.arguments[i];
        const bool between_others = i > 0 && !value.is_text() && !call.arguments[i - 1].is_text();
        out += i > 0 && (is_line || between_others) ? " " : "";
        out += text_form(call, value);
    }
    return GoValue::text(out + (is_line ? "\n" : ""));
}

GoValue print_formatted(TemplateCall& call) {
    std::optional<std::string> text =
        formatted(call.text(0), std::span<const GoValue>(call.arguments).subspan(1));
    return text ? GoValue::text(std::move(*text))
                : call.fail(fmt::format("the format \"{}\" is not supported", call.text(0)));
}

GoValue escape(TemplateCall& call) {
    if (call.arguments.size() != 1 || !call.arguments[0].is_text()) {
        return call.fail("it takes one text");
    }
    std::string out;
    for (const char c : call.text(0)) {
        if (call.name == "urlquery") {
            const bool is_plain =
                is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
            out += is_plain   ? std::string(1, c)
                   : c == ' ' ? "+"
                              : fmt::format("%{:02X}", static_cast<unsigned char>(c));
            continue;
        }
        constexpr std::string_view kSpecial{"\"'&<>\0", 6};
        constexpr std::array<std::string_view, 6> kEscapes = {"&#34;", "&#39;", "&amp;",
                                                              "&lt;",  "&gt;",  "\uFFFD"};
        const std::size_t known = kSpecial.find(c);
        out += known == std::string_view::npos ? std::string(1, c) : std::string(kEscapes[known]);
    }
    return GoValue::text(std::move(out));
}

GoValue choose(TemplateCall& call) {
    const auto unknown = [](const GoValue& value) { return !truth_of(value); };
    if (std::ranges::any_of(call.arguments, unknown)) {
        return call.fail("its number is spelled in an unusual way");
    }
    const auto holds = [](const GoValue& value) { return *truth_of(value); };
    if (call.name == "default") {
        const bool is_given = call.arguments.size() > 1 && holds(call.arguments[1]);
        return call.arguments[is_given ? 1 : 0];
    }
    if (call.name == "ternary") {
        return call.arguments[call.arguments[2].flag() ? 0 : 1];
    }
    if (call.name == "empty") {
        return GoValue::flag(!holds(call.arguments[0]));
    }
    if (call.name == "all" || call.name == "any") {
        return GoValue::flag(call.name == "all" ? std::ranges::all_of(call.arguments, holds)
                                                : std::ranges::any_of(call.arguments, holds));
    }
    const auto found = std::ranges::find_if(call.arguments, holds);  // coalesce
    return found == call.arguments.end() ? GoValue::nil() : *found;
}

GoValue name_type(TemplateCall& call) {
    const bool is_type = call.name.starts_with("type");
    const GoValue& value = call.last();
    if (is_type && value.element() == GoElement::Unsure) {
        return call.fail("the type of its argument is not known");
    }
    const std::string_view name = is_type ? type_of(value) : kind_of(value);
    return call.name.ends_with("Of") ? GoValue::text(std::string(name))
                                     : GoValue::flag(name == call.text(0));
}

GoValue compare_deeply(TemplateCall& call) {
    const GoEqual equal = deep_equal(call.arguments[0], call.arguments[1]);
    return equal == GoEqual::Unknown ? call.fail("the type of its argument is not known")
                                     : GoValue::flag(equal == GoEqual::Yes);
}

GoValue fail_as_told(TemplateCall& call) {
    return call.fail(fmt::format("\"{}\"", call.text(0)));
}

constexpr auto kBasic = std::to_array<TemplateFunction>({
    {"eq", "vv*", equal},
    {"ne", "vv", unequal},
    {"lt", "vv", ordered},
    {"le", "vv", ordered},
    {"gt", "vv", ordered},
    {"ge", "vv", ordered},
    {"not", "v", negation},
    {"len", "v", length},
    {"index", "vv*", index},
    {"print", "a*", print},
    {"println", "a*", print},
    {"printf", "sa*", print_formatted},
    {"html", "a*", escape},
    {"urlquery", "a*", escape},
    {"default", "aa*", choose},
    {"ternary", "aab", choose},
    {"empty", "a", choose},
    {"coalesce", "a*", choose},
    {"all", "a*", choose},
    {"any", "a*", choose},
    {"typeOf", "a", name_type},
    {"typeIs", "sa", name_type},
    {"kindOf", "a", name_type},
    {"kindIs", "sa", name_type},
    {"deepEqual", "aa", compare_deeply},
    {"fail", "s", fail_as_told},
});

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

// Returns why the function does not accept the value; "" if it does.
std::string_view fault_of(std::string_view name, const GoValue& value) {
    if (value.is(GoKind::Odd)) {
        return "its number is spelled in an unusual way";
    }
    if (value.is(GoKind::Unset) && !is_among(kIgnoreUnset, name)) {
        return "its key does not exist";
    }
    if (value.is_list() && value.list() != nullptr && value.list()->is_unordered &&
        !is_among(kIgnoreOrder, name)) {
        return "the order of its list is random";
    }
    return {};
}

}  // namespace

std::span<const TemplateFunction> basic_functions() {
    return kBasic;
}

const TemplateFunction* find_template_function(std::string_view name) {
    for (const auto functions :
         {basic_functions(), text_functions(), word_functions(), list_functions(), map_functions(),
          number_functions(), document_functions(), pattern_functions()}) {
        const auto found = std::ranges::find(functions, name, &TemplateFunction::name);
        if (found != functions.end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::optional<bool> truth_of(const GoValue& value) {
    return value.is(GoKind::Odd) ? std::nullopt : std::optional(is_true(value));
}

std::optional<GoValue> as_parameter(const GoValue& value, char parameter) {
    const bool is_missing = value.is(GoKind::Missing);
    switch (parameter) {
        case 'v':
            return value;
        case 'a':
            return is_missing ? GoValue::nil() : value;
        case 's':
            return value.is_text() ? std::optional(value) : std::nullopt;
        case 'i':
            return value.is(GoKind::Int) ? std::optional(value) : std::nullopt;
        case 'f':
            return value.is(GoKind::Float) ? std::optional(value) : std::nullopt;
        case 'b':
            return value.is(GoKind::Bool) ? std::optional(value) : std::nullopt;
        default:
            break;
    }
    if (is_missing) {
        return GoValue::map(nullptr);
    }
    const bool is_it = value.is_map() && value.element() == GoElement::Any;
    return is_it ? std::optional(value) : std::nullopt;
}

GoValue call_template_function(const TemplateFunction& function, TemplateCall& call) {
    for (const GoValue& value : call.arguments) {
        if (const std::string_view fault = fault_of(call.name, value); !fault.empty()) {
            return call.fail(std::string(fault));
        }
    }
    GoValue result = function.run(call);
    if (!call.failure.empty()) {
        return {};
    }
    if (result.is_text() && result.size() > kLargestResult) {
        return call.fail("its result is too long");
    }
    const std::size_t weight = result.is_text()   ? result.size()
                               : result.is_list() ? result.size() * sizeof(GoValue)
                               : result.is_map()  ? result.size() * 4 * sizeof(GoValue)
                                                  : 0;
    return call.heap.charge(weight) ? result : call.fail("its result is too long");
}

std::string text_form(TemplateCall& call, const GoValue& value) {
    if (!call.failure.empty()) {
        return {};
    }
    std::optional<std::string> text = printed(value);
    if (!text) {
        call.fail("only Go can print its argument");
    } else if (!call.heap.charge(text->size())) {
        call.fail("its result is too long");
    }
    return std::move(text).value_or("");
}

std::vector<std::string> text_forms(TemplateCall& call, const GoValue& value) {
    std::vector<std::string> out;
    if (value.is_list()) {
        for (const GoValue& item : value.items()) {
            if (!item.is_nothing()) {
                out.push_back(text_form(call, item));
            }
        }
    } else if (!value.is_nothing()) {
        out.push_back(text_form(call, value));
    }
    return out;
}

}  // namespace renderer::engines
