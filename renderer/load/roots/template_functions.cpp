#include "renderer/load/roots/template_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/replace.h"
#include "renderer/base/white_space.h"
#include "renderer/core/json.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"

namespace renderer {

namespace {

constexpr std::size_t kLargestResult = 1U << 20U;  // of a result

using Call = TemplateCall;

std::size_t weight(const Value& value) {
    std::size_t sum = sizeof(Value);
    if (value.is_map()) {
        for (const Member& member : value.members()) {
            sum += weight(member.key) + weight(member.value);
        }
    } else if (value.is_list()) {
        for (const Value& item : value.items()) {
            sum += weight(item);
        }
    } else if (value.is_string()) {
        sum += value.size();
    }
    return sum;
}

std::string text(const Call& call, std::size_t index) {
    return index < call.arguments.size() ? printed(call.arguments[index]).value_or("") : "";
}

const Value& last(const Call& call) {
    return call.arguments.back();
}

// Numbers compare as numbers, all else by its spelling.
int order_of(const Value& a, const Value& b) {
    const auto left = a.as_int();
    const auto right = b.as_int();
    if (a.is_number() && b.is_number() && left && right) {
        return *left < *right ? -1 : static_cast<int>(*left > *right);
    }
    return spelling_of(a).compare(spelling_of(b));
}

Value compare(Call& call) {
    const Value& first = call.arguments[0];
    const auto is_same = [&](const Value& other) { return first == other; };
    if (call.name == "eq") {
        return std::any_of(call.arguments.begin() + 1, call.arguments.end(), is_same);
    }
    const Value& other = call.arguments[1];
    if (call.name == "ne") {
        return !is_same(other);
    }
    if (first.kind() != other.kind() || first.is_list() || first.is_map()) {
        return call.fail("incompatible types for comparison");
    }
    const int order = order_of(first, other);
    return call.name == "lt"   ? order < 0
           : call.name == "le" ? order <= 0
           : call.name == "gt" ? order > 0
                               : order >= 0;
}

Value length(Call& call) {
    const Value& value = call.arguments[0];
    if (value.is_string() || value.is_list() || value.is_map()) {
        return static_cast<std::int64_t>(value.size());
    }
    return call.fail("no length");
}

// `index .a "b" 0`.
Value index(Call& call) {
    const Value* value = &call.arguments[0];
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
        const Value& key = call.arguments[i];
        if (value->is_map()) {
            value = value->find(spelling_of(key));
            if (value == nullptr) {
                return {};
            }
        } else if (value->is_list()) {
            const std::optional<std::int64_t> at = key.as_int();
            if (!at || *at < 0 || static_cast<std::size_t>(*at) >= value->size()) {
                return call.fail(fmt::format("index out of range: {}", spelling_of(key)));
            }
            value = &value->items()[static_cast<std::size_t>(*at)];
        } else {
            return call.fail("neither a map nor a list");
        }
    }
    return value->clone();
}

// `dig "a" "b" "default" .map`.
Value dig(Call& call) {
    const std::size_t keys = call.arguments.size() - 2;
    const Value* value = &last(call);
    for (std::size_t i = 0; i < keys && value != nullptr; ++i) {
        value = value->is_map() ? value->find(spelling_of(call.arguments[i])) : nullptr;
    }
    return (value == nullptr ? call.arguments[keys] : *value).clone();
}

Value print(Call& call) {
    std::string out;
    const bool is_line = call.name == "println";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const Value& value = call.arguments[i];
        const bool between_others =
            i > 0 && !value.is_string() && !call.arguments[i - 1].is_string();
        out += i > 0 && (is_line || between_others) ? " " : "";
        out += text(call, i);
    }
    return out + (is_line ? "\n" : "");
}

Value printf(Call& call) {
    const std::string format = text(call, 0);
    std::string out;
    std::size_t next = 1;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        const char verb = ++i < format.size() ? format[i] : '\0';
        if (verb == '%') {
            out += '%';
        } else if (std::string_view("svdqt").find(verb) != std::string_view::npos &&
                   next < call.arguments.size()) {
            const std::string argument = text(call, next++);
            out += verb == 'q' ? fmt::format("\"{}\"", argument) : argument;
        } else {
            return call.fail(fmt::format("printf \"{}\"", format));
        }
    }
    return out;
}

Value choose(Call& call) {
    if (call.name == "default") {
        const Value& given = last(call);
        return (call.arguments.size() > 1 && is_true(given) ? given : call.arguments[0]).clone();
    }
    if (call.name == "ternary") {
        return call.arguments[is_true(last(call)) ? 0 : 1].clone();
    }
    if (call.name == "empty") {
        return !is_true(last(call));
    }
    if (call.name == "not") {
        return !is_true(call.arguments[0]);
    }
    const auto found = std::ranges::find_if(call.arguments, is_true);  // coalesce
    return found == call.arguments.end() ? Value() : found->clone();
}

std::string without_characters(std::string_view in, std::string_view characters, bool front,
                               bool back) {
    const std::size_t begin = front ? in.find_first_not_of(characters) : 0;
    const std::size_t end = back ? in.find_last_not_of(characters) : in.size() - 1;
    const bool is_nothing =
        in.empty() || begin == std::string_view::npos || end == std::string_view::npos;
    return is_nothing ? "" : std::string(in.substr(begin, end - begin + 1));
}

Value trim_text(Call& call) {
    const std::string value = text(call, call.arguments.size() - 1);
    const std::string what = text(call, 0);
    if (call.name == "trim") {
        return trim(value);
    }
    if (call.name == "trimPrefix") {
        return value.starts_with(what) ? value.substr(what.size()) : value;
    }
    if (call.name == "trimSuffix") {
        return value.ends_with(what) ? value.substr(0, value.size() - what.size()) : value;
    }
    return without_characters(value, what, true, true);  // trimAll
}

Value test_text(Call& call) {
    const std::string what = text(call, 0);
    const std::string value = text(call, 1);
    return call.name == "contains"    ? value.find(what) != std::string::npos
           : call.name == "hasPrefix" ? value.starts_with(what)
                                      : value.ends_with(what);
}

std::string indented(std::string_view in, std::size_t spaces) {
    const std::string pad(spaces, ' ');
    return pad + replace_all(in, "\n", "\n" + pad);
}

Value change_text(Call& call) {
    const std::string value = text(call, call.arguments.size() - 1);
    if (call.name == "lower") {
        return lower_case(value);
    }
    if (call.name == "normalize") {
        return dns_name(value);
    }
    if (call.name == "quote" || call.name == "squote") {
        const char mark = call.name == "quote" ? '"' : '\'';
        return fmt::format("{0}{1}{0}", mark, value);
    }
    if (call.name == "replace") {
        return replace_all(value, text(call, 0), text(call, 1));
    }
    if (call.name == "trunc") {
        const std::int64_t count = call.arguments[0].as_int().value_or(0);
        const auto size = static_cast<std::int64_t>(value.size());
        const std::int64_t kept = std::min(count < 0 ? -count : count, size);
        return value.substr(static_cast<std::size_t>(count < 0 ? size - kept : 0),
                            static_cast<std::size_t>(kept));
    }
    return value;  // toString
}

// Of a text the number that it spells; sprig makes 0 of another one.
Value to_int(Call& call) {
    const std::optional<std::int64_t> number = Value::number(text(call, 0)).as_int();
    return number ? Value(*number) : call.fail("not a whole number");
}

Value indent(Call& call) {
    const std::int64_t spaces = call.arguments[0].as_int().value_or(-1);
    if (spaces < 0 || spaces > 1000) {
        return call.fail("not a number of spaces");
    }
    return (call.name == "nindent" ? "\n" : "") +
           indented(text(call, 1), static_cast<std::size_t>(spaces));
}

Value to_yaml(Call& call) {
    if (call.name == "toJson") {
        return write_json_sorted(last(call));
    }
    std::string out;
    write_yaml(last(call), out);
    return without_characters(out, "\n", false, true);
}

Value from_yaml(Call& call) {
    SourceMap sources;
    const SourceId source = sources.add("template", text(call, 0));
    Diagnostics mistakes;
    Value value = read_yaml(sources, source, mistakes);
    if (mistakes.has_errors()) {
        return call.fail("not YAML");
    }
    return value;
}

Value collect(Call& call) {
    if (call.name == "list") {
        Value list = Value::list();
        for (const Value& item : call.arguments) {
            list.append(item.clone());
        }
        return list;
    }
    Value map = Value::map();  // dict
    for (std::size_t i = 0; i + 1 < call.arguments.size(); i += 2) {
        map.put(text(call, i), call.arguments[i + 1].clone());
    }
    return map;
}

Value split_text(Call& call) {
    const std::string separator = text(call, 0);
    const std::string whole = text(call, 1);
    Value list = Value::list();
    std::size_t from = 0;
    for (std::size_t at = separator.empty() ? std::string::npos : whole.find(separator);
         at != std::string::npos; at = whole.find(separator, from)) {
        list.append(whole.substr(from, at - from));
        from = at + separator.size();
    }
    list.append(whole.substr(from));
    return list;
}

Value join_text(Call& call) {
    std::string out;
    for (const Value& item : items_of(&last(call))) {
        out += (out.empty() ? "" : text(call, 0)) + printed(item).value_or("");
    }
    return out;
}

Value pick(Call& call) {
    const Value& from = last(call);
    if (call.name == "has") {
        return std::ranges::any_of(items_of(&from),
                                   [&](const Value& item) { return item == call.arguments[0]; });
    }
    if (call.name == "first" || call.name == "last") {
        const auto items = items_of(&from);
        return items.empty() ? Value()
                             : (call.name == "first" ? items.front() : items.back()).clone();
    }
    const Value& map = call.arguments[0];
    const Value* found = map.is_map() ? map.find(text(call, 1)) : nullptr;
    if (call.name == "hasKey") {
        return found != nullptr;
    }
    return found == nullptr ? Value("") : found->clone();  // get
}

struct Function {
    std::string_view name;
    std::size_t least, most;  // arguments
    Value (*run)(Call&);
};

constexpr std::size_t kAny = 64;

constexpr std::array kTemplateFunctions = {
    Function{"eq", 2, kAny, compare},
    Function{"ne", 2, 2, compare},
    Function{"lt", 2, 2, compare},
    Function{"le", 2, 2, compare},
    Function{"gt", 2, 2, compare},
    Function{"ge", 2, 2, compare},
    Function{"not", 1, 1, choose},
    Function{"len", 1, 1, length},
    Function{"index", 1, kAny, index},
    Function{"print", 0, kAny, print},
    Function{"println", 0, kAny, print},
    Function{"printf", 1, kAny, printf},
    Function{"default", 1, 2, choose},
    Function{"coalesce", 0, kAny, choose},
    Function{"ternary", 3, 3, choose},
    Function{"empty", 1, 1, choose},
    Function{"dig", 3, kAny, dig},
    Function{"get", 2, 2, pick},
    Function{"hasKey", 2, 2, pick},
    Function{"has", 2, 2, pick},
    Function{"first", 1, 1, pick},
    Function{"last", 1, 1, pick},
    Function{"list", 0, kAny, collect},
    Function{"dict", 0, kAny, collect},
    Function{"join", 2, 2, join_text},
    Function{"splitList", 2, 2, split_text},
    Function{"trim", 1, 1, trim_text},
    Function{"trimAll", 2, 2, trim_text},
    Function{"trimPrefix", 2, 2, trim_text},
    Function{"trimSuffix", 2, 2, trim_text},
    Function{"contains", 2, 2, test_text},
    Function{"hasPrefix", 2, 2, test_text},
    Function{"hasSuffix", 2, 2, test_text},
    Function{"lower", 1, 1, change_text},
    Function{"normalize", 1, 1, change_text},
    Function{"quote", 1, 1, change_text},
    Function{"squote", 1, 1, change_text},
    Function{"replace", 3, 3, change_text},
    Function{"trunc", 2, 2, change_text},
    Function{"toString", 1, 1, change_text},
    Function{"int", 1, 1, to_int},
    Function{"indent", 2, 2, indent},
    Function{"nindent", 2, 2, indent},
    Function{"toYaml", 1, 1, to_yaml},
    Function{"toJson", 1, 1, to_yaml},
    Function{"fromYaml", 1, 1, from_yaml},
    Function{"fromYamlArray", 1, 1, from_yaml},
};

}  // namespace

std::string dns_name(std::string_view name) {
    std::string out;
    for (const char c : lower_case(name).substr(0, 253)) {
        out += is_lower_or_digit(c) || c == '-' || c == '.' ? c : '-';
    }
    return without_characters(out, "-.", true, true);
}

bool is_true(const Value& value) {
    if (value.is_bool()) {
        return value.as_bool();
    }
    return value.is_number() ? value.text() != "0" : !value.is_null() && value.size() > 0;
}

std::optional<std::string> printed(const Value& value) {
    if (value.is_map() || value.is_list()) {
        return std::nullopt;
    }
    return value.is_null() ? "<no value>" : std::string(spelling_of(value));
}

Value call_template_function(TemplateCall& call) {
    const auto known = std::ranges::find(kTemplateFunctions, call.name, &Function::name);
    if (known == kTemplateFunctions.end()) {
        return call.fail("no such function here");
    }
    const std::size_t count = call.arguments.size();
    if (count < known->least || count > known->most) {
        return call.fail(fmt::format("{} arguments", count));
    }
    Value result = known->run(call);
    return weight(result) > kLargestResult ? call.fail("too long") : std::move(result);
}

}  // namespace renderer
