#include "renderer/secrets/confidential.h"

#include <algorithm>
#include <array>
#include <string>

#include "renderer/base/ascii.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::secrets {

namespace {

constexpr std::size_t kMinKeyId = 8;

constexpr std::string_view kKeyPrefix = "tskey-";
constexpr std::size_t kReach = std::size_t{1} << 20U;  // more does not fit into a Secret
constexpr std::size_t kMachineLine = 2000;             // longer lines are machine-generated

// Returns the first key of Tailscale at or after `at`.
std::size_t find_key(std::string_view text, std::size_t at) {
    for (at = text.find(kKeyPrefix, at); at != std::string_view::npos;
         at = text.find(kKeyPrefix, at + 1)) {
        const std::size_t length = tailscale_key_length(text.substr(at));
        if (length > 0 && !is_example_key(text.substr(at, length))) {
            return at;
        }
    }
    return std::string_view::npos;
}

void leave_out_keys(std::string& text) {
    for (std::size_t at = find_key(text, 0); at != std::string::npos; at = find_key(text, at + 1)) {
        const std::size_t length = tailscale_key_length(std::string_view(text).substr(at));
        const std::size_t kind = text.find('-', at + kKeyPrefix.size()) + 1;
        text.replace(kind, at + length - kind, "…");
    }
}

// Returns the text around a place, from one `---` to the next.
std::string_view document_at(std::string_view text, std::size_t offset) {
    const std::size_t low = offset > kReach ? offset - kReach : 0;
    const std::string_view near = text.substr(low, offset - low + kReach);
    const std::size_t begin = near.rfind("\n---", offset - low);
    const std::string_view rest = near.substr(begin == std::string_view::npos ? 0 : begin + 1);
    return rest.substr(0, rest.find("\n---"));
}

std::string_view skip(std::string_view text, std::string_view characters) {
    return text.substr(std::min(text.find_first_not_of(characters), text.size()));
}

// Finds `kind: Secret` in block style, flow style or JSON.
bool names_secret(std::string_view document) {
    constexpr std::string_view kKind = "kind";
    constexpr std::string_view kSecret = "Secret";
    for (std::size_t at = document.find(kKind); at != std::string_view::npos;
         at = document.find(kKind, at + 1)) {
        std::string_view rest = skip(document.substr(at + kKind.size()), "\"' ");
        if (!rest.starts_with(':')) {
            continue;
        }
        rest = skip(rest.substr(1), "\"' ");
        if (rest.starts_with(kSecret) &&
            (rest.size() == kSecret.size() || !is_alphanumeric(rest[kSecret.size()]))) {
            return true;
        }
    }
    return false;
}

// Returns the top-level key that contains the place; for `--set a.b=c` it is `a`.
std::string_view top_key(std::string_view text, std::size_t offset) {
    std::size_t end = std::min(text.find('\n', offset), text.size());
    for (std::size_t tried = 0; tried < kReach;) {
        const std::size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
        const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
        const std::string_view line = text.substr(begin, end - begin);
        if (!line.empty() && is_alphanumeric(line.front())) {
            return line.substr(0, line.find_first_of(":=. "));
        }
        if (begin == 0 || line.starts_with("---")) {
            break;
        }
        tried += line.size() + 1;
        end = newline;
    }
    return {};
}

// Returns the word before a `:` or `=`, in lower case and without dashes.
std::string plain_key(std::string_view line, std::size_t end) {
    std::string key;
    end = std::min(line.find_last_not_of("\"' ", end - 1) + 1, end);
    std::size_t begin = end;
    while (begin > 0 &&
           (is_alphanumeric(line[begin - 1]) || line[begin - 1] == '-' || line[begin - 1] == '_')) {
        --begin;
    }
    for (const char c : line.substr(begin, end - begin)) {
        if (is_alphanumeric(c)) {
            key += lower_case(c);
        }
    }
    return key;
}

bool is_credential_key(std::string_view line) {
    constexpr std::array<std::string_view, 12> kNames = {
        "password",   "passwd", "passphrase",  "clientsecret", "clientid",  "secretaccesskey",
        "privatekey", "apikey", "accesstoken", "bearertoken",  "authtoken", "authkey"};
    for (std::size_t at = line.find_first_of(":="); at != std::string_view::npos;
         at = line.find_first_of(":=", at + 1)) {
        const std::string key = at == 0 ? std::string() : plain_key(line, at);
        if (std::ranges::any_of(kNames,
                                [&](std::string_view name) { return key.ends_with(name); })) {
            return true;
        }
    }
    return false;
}

bool stands_in_credentials(const Diagnostic& diagnostic, const SourceMap& sources,
                           std::string_view line) {
    const std::string_view text = sources.text(sources.source_of(diagnostic.pos));
    const std::size_t offset = sources.offset_of(diagnostic.pos);
    const bool may_be = diagnostic.object.empty() || diagnostic.object.starts_with("Secret/");
    const bool secret = may_be && names_secret(document_at(text, offset));
    if (secret || is_credential_key(line)) {
        return true;
    }
    const std::string_view key = top_key(text, offset);
    const bool gives_values =
        line.find('=') != std::string_view::npos || line.find("literal") != std::string_view::npos;
    return key == "oauth" || (key == "secretGenerator" && gives_values);
}

// Removes text in quotes.
void leave_out_quoted(std::string& text) {
    const std::size_t first = text.find('"');
    const std::size_t last = text.rfind('"');
    if (first != std::string::npos && first < last) {
        text.replace(first + 1, last - first - 1, "…");
    }
}

}  // namespace

std::size_t tailscale_key_length(std::string_view text) {
    constexpr std::array<std::string_view, 5> kKinds = {
        "tskey-auth-", "tskey-client-", "tskey-api-", "tskey-scim-", "tskey-webhook-"};
    const auto kind =
        std::ranges::find_if(kKinds, [&](std::string_view one) { return text.starts_with(one); });
    if (kind == kKinds.end()) {
        return 0;
    }
    const auto word_end = [&](std::size_t at) {
        while (at < text.size() && is_alphanumeric(text[at])) {
            ++at;
        }
        return at;
    };
    const std::size_t id_end = word_end(kind->size());
    const bool has_id =
        id_end >= kind->size() + kMinKeyId && id_end < text.size() && text[id_end] == '-';
    const std::size_t end = has_id ? word_end(id_end + 1) : 0;
    return has_id && end >= id_end + 1 + kMinKeyId ? end : 0;
}

bool is_example_key(std::string_view key) {
    const std::string_view secret = key.substr(key.rfind('-') + 1);
    constexpr std::array<std::string_view, 5> kWords = {"xample", "EXAMPLE", "xxxx", "XXXX",
                                                        "0000"};
    const auto has = [&](std::string_view word) {
        return key.find(word) != std::string_view::npos;
    };
    return std::ranges::any_of(kWords, has) || secret.find("123456789") != std::string_view::npos;
}

bool holds_tailscale_key(std::string_view text) {
    return find_key(text, 0) != std::string_view::npos;
}

Diagnostic without_credentials(const Diagnostic& diagnostic, const SourceMap& sources) {
    Diagnostic shown = diagnostic;
    if (diagnostic.pos.known() && !diagnostic.hide_text) {
        const std::string_view line = sources.locate(diagnostic.pos).text;
        const bool by_machine = line.size() > kMachineLine;
        const bool confidential =
            stands_in_credentials(diagnostic, sources, by_machine ? std::string_view() : line);
        shown.hide_text = confidential || by_machine || holds_tailscale_key(line) ||
                          may_show_url_credentials(line);
        if (confidential) {
            leave_out_quoted(shown.found);
            // `!word` and `*word` may be YAML, but as often are passwords without quotes.
            if (shown.rule.starts_with("yaml-")) {
                leave_out_quoted(shown.message);
            }
        }
    }
    for (std::string* text : {&shown.message, &shown.found, &shown.expected, &shown.hint}) {
        leave_out_keys(*text);
    }
    for (Note& note : shown.notes) {
        leave_out_keys(note.text);
    }
    return shown;
}

}  // namespace renderer::secrets
