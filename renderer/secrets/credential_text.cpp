#include "renderer/secrets/credential_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "renderer/base/ascii.h"
#include "renderer/core/implicit_key.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::secrets {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::string_view kSpaceOrTab = " \t";
constexpr std::string_view kSigns = "=: \t";

bool holds_key(std::string_view text) {
    return text.find("tskey-") != kNowhere || text.find("PRIVATE KEY-----") != kNowhere;
}

bool is_blank(char c) {
    return kSpaceOrTab.find(c) != kNowhere;
}

bool is_key_character(char c) {
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}

std::size_t end_or(std::size_t at, std::string_view text) {
    return std::min(at, text.size());
}

std::string without_userinfo(std::string_view text, const SecretHash& hash) {
    std::string out;
    for (auto name = find_userinfo(text); !name.empty(); name = find_userinfo(text)) {
        const auto begin = static_cast<std::size_t>(name.data() - text.data());
        out += text.substr(0, begin);
        out += hash(name);
        text.remove_prefix(begin + name.size());
    }
    return out.append(text);
}

// Returns the word to which a `=`, `:` or blank at `sign` assigns a value. It may be in quotes,
// which JSON inside JSON writes as `\"`.
std::string_view key_before(std::string_view text, std::size_t sign) {
    if (sign == 0 || (is_blank(text[sign]) && is_blank(text[sign - 1]))) {
        return {};
    }
    std::size_t end = text.find_last_not_of(kSpaceOrTab, sign - 1);
    if (end == kNowhere) {
        return {};
    }
    const bool quoted = text[end] == '"' || text[end] == '\'';
    end += quoted ? 0 : 1;
    while (quoted && end > 0 && text[end - 1] == '\\') {
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && is_key_character(text[begin - 1])) {
        --begin;
    }
    return text.substr(begin, end - begin);
}

// Returns the number of backslashes before the quote that `text` begins with; nothing if it does
// not begin with a quote.
std::optional<std::size_t> escaped_quote(std::string_view text) {
    const std::size_t quote = end_or(text.find_first_not_of('\\'), text);
    return quote < text.size() && (text[quote] == '"' || text[quote] == '\'') ? std::optional(quote)
                                                                              : std::nullopt;
}

// `a:b` is not an assignment, `a: b` and `"a":"b"` are. Only flags have their value after a blank.
bool sets_value(std::string_view text, std::size_t sign, std::string_view key) {
    const std::string_view rest = text.substr(sign + 1);
    if (is_blank(text[sign])) {
        if (!key.starts_with('-')) {
            return false;
        }
        const std::size_t value = end_or(rest.find_first_not_of(kSpaceOrTab), rest);
        return value < rest.size() && std::string_view("-=:").find(rest[value]) == kNowhere;
    }
    return text[sign] == '=' || rest.empty() || kWordEnds.find(rest.front()) != kNowhere ||
           escaped_quote(rest);
}

// Returns the text in quotes. `text` begins with a quote after `escapes` backslashes; quotes of
// texts inside have more of them.
std::string_view quoted_text(std::string_view text, std::size_t escapes) {
    if (escapes == 0) {
        const std::size_t size = quoted_size(text);
        return size == kNowhere ? text.substr(1) : text.substr(1, size - 2);
    }
    const char quote = text[escapes];
    text.remove_prefix(escapes + 1);
    for (auto at = text.find(quote); at != kNowhere; at = text.find(quote, at + 1)) {
        const std::string_view inside = text.substr(0, at);
        const std::size_t end = inside.find_last_not_of('\\') + 1;
        if (at - end <= escapes) {
            return inside.substr(0, end);
        }
    }
    return text;
}

// Returns the rest of the first line from `begin` and the lines below it that are indented deeper
// than `column`, without the last line break.
std::string_view lines_under(std::string_view text, std::size_t begin, std::size_t column) {
    std::size_t end = end_or(text.find_first_of("\r\n", begin), text);
    for (auto line = text.find('\n', end); line != kNowhere; line = text.find('\n', line + 1)) {
        const std::size_t first = end_or(text.find_first_not_of(" \t\r", line + 1), text);
        if (first == text.size() || (text[first] != '\n' && first - line - 1 <= column)) {
            break;
        }
        if (text[first] != '\n') {
            end = end_or(text.find_first_of("\r\n", first), text);
        }
    }
    return text.substr(begin, end - begin);
}

// Returns a plain value or a block of YAML: the rest of the line and the deeper lines below it.
// Empty if these have keys of their own.
std::string_view yaml_value(std::string_view text, std::size_t begin, std::string_view key) {
    const auto key_begin = static_cast<std::size_t>(key.data() - text.data());
    const std::size_t line = text.substr(0, key_begin).rfind('\n') + 1;  // npos + 1 is 0
    const std::size_t column = text.find_first_not_of(" \t-", line) - line;
    const std::string_view rest = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
    const bool opens = rest.empty() || rest == "{" || rest == "[";
    const std::string_view value = lines_under(text, begin, column);
    const std::size_t next = opens ? value.find_first_not_of(" \t\r\n", rest.size()) : 0;
    if (next == kNowhere || (opens && begins_with_implicit_key(value.substr(next)))) {
        return {};
    }
    return value.substr(next);
}

// Returns where the value begins; a shell command may continue on the next line.
std::size_t value_begin(std::string_view text, std::size_t sign) {
    std::size_t begin = end_or(text.find_first_not_of(kSpaceOrTab, sign + 1), text);
    while (is_blank(text[sign]) && text.substr(begin).starts_with("\\\n")) {
        begin = end_or(text.find_first_not_of(kSpaceOrTab, begin + 2), text);
    }
    return begin;
}

// Returns the value after a `=`, `:` or blank. If the key begins the line, a value after `=` may
// contain blanks.
std::string_view value_after(std::string_view text, std::size_t sign, std::string_view key) {
    const std::size_t begin = value_begin(text, sign);
    const std::string_view rest = text.substr(begin);
    if (const std::optional<std::size_t> escapes = escaped_quote(rest)) {
        return quoted_text(rest, *escapes);
    }
    if (is_place(rest)) {
        return {};
    }
    if (text[sign] == ':') {
        return yaml_value(text, begin, key);
    }
    const auto key_begin = static_cast<std::size_t>(key.data() - text.data());
    const auto before = text.substr(0, key_begin).find_last_not_of(kSpaceOrTab);
    const bool opens_line = before == kNowhere || text[before] == '\n';
    const bool whole_line = opens_line && text[sign] == '=';
    return rest.substr(0, rest.find_first_of(whole_line ? "\r\n" : kWordEnds));
}

std::string without_values(std::string_view text, const SecretHash& hash) {
    std::string out;
    std::size_t done = 0;
    for (auto at = text.find_first_of(kSigns); at != kNowhere;
         at = text.find_first_of(kSigns, at + 1)) {
        const std::string_view key = key_before(text, at);
        if (!sets_value(text, at, key) || !may_name_credential(key)) {
            continue;
        }
        const std::string_view value = value_after(text, at, key);
        if (!is_place(value)) {
            const auto begin = static_cast<std::size_t>(value.data() - text.data());
            out += text.substr(done, begin - done);
            out += hash(value);
            done = begin + value.size();
            at = done - 1;
        }
    }
    out += text.substr(done);
    return out;
}

}  // namespace

bool names_credential(std::string_view key) {
    constexpr std::array<std::string_view, 13> kEndings = {
        "password", "passwd",    "passphrase", "token",      "secret",      "secretkey",  "apikey",
        "authkey",  "accesskey", "privatekey", "credential", "credentials", "oauthclient"};
    std::string word = lower_case(key);
    std::erase_if(word, [](char c) { return c == '_' || c == '-' || c == '.'; });
    return std::ranges::any_of(kEndings,
                               [&](std::string_view ending) { return word.ends_with(ending); });
}

bool may_name_credential(std::string_view key) {
    const std::string word = lower_case(key);
    const std::size_t last = word.find_last_of("_-.");
    const std::string_view end = std::string_view(word).substr(last == kNowhere ? 0 : last + 1);
    constexpr std::array<std::string_view, 5> kOthers = {"bypass", "compass", "overpass",
                                                         "trespass", "underpass"};
    const bool is_pass =
        word.ends_with("pwd") ||
        (word.ends_with("pass") && std::ranges::none_of(kOthers, [&](std::string_view other) {
             return word.ends_with(other);
         }));
    return names_credential(key) || is_pass || end == "key";
}

bool is_place(std::string_view text) {
    return text.empty() || text.starts_with("file:") || text.starts_with('/') ||
           text.starts_with("$(");
}

std::string without_credentials(std::string_view text, const SecretHash& hash) {
    return holds_key(text) ? hash(text) : without_values(without_userinfo(text, hash), hash);
}

}  // namespace renderer::secrets
