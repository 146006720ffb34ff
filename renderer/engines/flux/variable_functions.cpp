#include "renderer/engines/flux/variable_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "renderer/base/ascii.h"
#include "renderer/base/pattern.h"
#include "renderer/base/replace.h"

namespace renderer::engines {

namespace {

std::optional<std::int64_t> to_number(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(number) : std::nullopt;
}

// As in bash, arguments that are not numbers leave the value unchanged.
std::string part_of(const std::string& value, const std::vector<std::string>& arguments) {
    const auto size = static_cast<std::int64_t>(value.size());
    const std::optional<std::int64_t> offset = to_number(arguments.front());
    if (!offset) {
        return value;
    }
    const std::int64_t begin =
        *offset < 0 ? std::max<std::int64_t>(size + *offset, 0) : std::min(*offset, size);
    std::int64_t end = size;
    if (arguments.size() > 1) {
        const std::optional<std::int64_t> length = to_number(arguments[1]);
        if (!length) {
            return value;
        }
        end = *length < 0 ? size + *length : begin + std::min(*length, size);
    }
    end = std::min(end, size);
    return begin < end ? value.substr(static_cast<std::size_t>(begin),
                                      static_cast<std::size_t>(end - begin))
                       : "";
}

std::string replace_at(std::string value, std::size_t at, std::size_t size, std::string_view by) {
    return at == std::string::npos ? value : value.replace(at, size, by);
}

std::string with_matches_replaced(std::string_view operation, std::string value,
                                  const std::vector<std::string>& arguments) {
    const std::string& what = arguments.front();
    const bool has_text = arguments.size() > 1;
    const std::string by = has_text ? arguments[1] : "";
    if (operation == "//") {
        return replace_all(value, what, by);
    }
    if (operation == "/") {
        const std::size_t at = value.find(what);
        return replace_at(std::move(value), at, what.size(), by);
    }
    if (!has_text) {
        return value;
    }
    if (operation == "/#" && value.starts_with(what)) {
        return replace_at(std::move(value), 0, what.size(), by);
    }
    if (operation == "/%" && value.ends_with(what)) {
        const std::size_t at = value.size() - what.size();
        return replace_at(std::move(value), at, what.size(), by);
    }
    return value;
}

// `*` and `?` match every character, including slashes.
std::optional<Pattern> glob_pattern(std::string_view glob) {
    std::string expression = "^(?s:";
    for (std::size_t i = 0; i < glob.size(); ++i) {
        const char c = glob[i];
        if (c == '*') {
            expression += ".*";
        } else if (c == '?') {
            expression += '.';
        } else if (c == '[') {
            const std::size_t close = glob.find(']', i + 2);
            if (close == std::string_view::npos) {
                return {};
            }
            expression += glob.substr(i, close - i + 1);
            i = close;
        } else {
            const bool escaped = c == '\\' && i + 1 < glob.size();
            const char literal = escaped ? glob[++i] : c;
            if (!is_alphanumeric(literal) && static_cast<unsigned char>(literal) < 0x80) {
                expression += '\\';
            }
            expression += literal;
        }
    }
    return Pattern::parse(expression + ")$");
}

// Removes the shortest or longest match of the glob, which must not be empty, at the beginning or
// end.
std::string without_match(std::string_view operation, const std::string& value,
                          std::string_view glob) {
    constexpr std::size_t kMaxValue = 10'000;  // the work is quadratic
    const std::optional<Pattern> pattern = glob_pattern(glob);
    if (!pattern || value.size() > kMaxValue) {
        return value;
    }
    const bool longest = operation.size() == 2;
    const bool at_end = operation.front() == '%';
    if (at_end && glob.find_first_of("[\\") != std::string_view::npos) {
        return value;  // Flux matches the glob backwards, where these have no meaning
    }
    for (std::size_t i = 1; i <= value.size(); ++i) {
        const std::size_t size = longest ? value.size() + 1 - i : i;
        const std::string_view all = value;
        if (pattern->matches(at_end ? all.substr(all.size() - size) : all.substr(0, size))) {
            return at_end ? value.substr(0, value.size() - size) : value.substr(size);
        }
    }
    return value;
}

std::string in_case(std::string_view operation, std::string value) {
    const std::size_t count = operation.size() == 2 ? value.size() : 1;
    for (char& c : std::span(value).first(std::min(count, value.size()))) {
        if (operation.front() == ',') {
            c = lower_case(c);
        } else if (is_lower(c)) {
            c = static_cast<char>(c - 'a' + 'A');
        }
    }
    return value;
}

}  // namespace

std::string apply_function(std::string_view operation, std::string value,
                           const std::vector<std::string>& arguments) {
    if (operation == "length") {
        return fmt::format("{}", value.size());
    }
    if (operation == "^" || operation == "^^" || operation == "," || operation == ",,") {
        return in_case(operation, std::move(value));
    }
    if (arguments.empty()) {
        return value;
    }
    if (operation == ":") {
        return part_of(value, arguments);
    }
    if (operation.starts_with('/')) {
        return with_matches_replaced(operation, std::move(value), arguments);
    }
    if (operation.starts_with('#') || operation.starts_with('%')) {
        return without_match(operation, value, arguments.front());
    }
    if (value.empty()) {
        for (const std::string& argument : arguments) {
            value += argument;
        }
    }
    return value;
}

}  // namespace renderer::engines
