#include "renderer/diff/credential_text.h"

#include <algorithm>
#include <array>

#include "renderer/core/ascii.h"
#include "renderer/core/userinfo.h"

namespace renderer {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kWordEnds = " \t\r\n\"'";

bool holds_key(std::string_view text) {
    return text.find("tskey-") != std::string_view::npos ||
           text.find("PRIVATE KEY-----") != std::string_view::npos;
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

// The word that a `=` or `:` at `sign` gives a value to; it may stand in quotes.
std::string_view key_before(std::string_view text, std::size_t sign) {
    std::size_t end = text.find_last_not_of(kBlanks, sign == 0 ? 0 : sign - 1);
    if (sign == 0 || end == std::string_view::npos) {
        return {};
    }
    end += text[end] == '"' || text[end] == '\'' ? 0 : 1;
    std::size_t begin = end;
    while (begin > 0 && is_key_character(text[begin - 1])) {
        --begin;
    }
    return text.substr(begin, end - begin);
}

// `a:b` sets nothing, `a: b` and `"a":"b"` do.
bool sets_value(std::string_view text, std::size_t sign) {
    return text[sign] == '=' ||
           kWordEnds.find(text.substr(sign + 1).empty() ? ' ' : text[sign + 1]) !=
               std::string_view::npos;
}

// What is set behind a `=` or `:`. A value that a line begins with may have blanks in it.
std::string_view value_after(std::string_view text, std::size_t sign, std::string_view key) {
    const std::size_t begin = end_or(text.find_first_not_of(kBlanks, sign + 1), text);
    const std::string_view rest = text.substr(begin);
    if (rest.starts_with('"') || rest.starts_with('\'')) {
        const std::string_view quoted = rest.substr(1);
        return quoted.substr(0, quoted.find(rest.front()));
    }
    const auto key_begin = static_cast<std::size_t>(key.data() - text.data());
    const auto before = text.substr(0, key_begin).find_last_not_of(kBlanks);
    const bool opens_line = before == std::string_view::npos || text[before] == '\n';
    const bool whole_line = text[sign] == ':' || opens_line;
    return rest.substr(0, rest.find_first_of(whole_line ? "\r\n" : kWordEnds));
}

std::string without_values(std::string_view text, const SecretHash& hash) {
    std::string out;
    std::size_t done = 0;
    for (auto at = text.find_first_of("=:"); at != std::string_view::npos;
         at = text.find_first_of("=:", at + 1)) {
        const std::string_view key = key_before(text, at);
        if (!sets_value(text, at) || !names_credential(key)) {
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

bool is_place(std::string_view text) {
    return text.empty() || text.starts_with("file:") || text.starts_with('/') ||
           text.starts_with("$(");
}

std::string without_credentials(std::string_view text, const SecretHash& hash) {
    return holds_key(text) ? hash(text) : without_values(without_userinfo(text, hash), hash);
}

}  // namespace renderer
