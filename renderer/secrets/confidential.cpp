#include "renderer/secrets/confidential.h"

#include <algorithm>
#include <array>
#include <iterator>
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

// Returns the end of `end` without these characters before it.
std::size_t skip_back(std::string_view text, std::size_t end, std::string_view characters) {
    const std::size_t last = text.substr(0, end).find_last_not_of(characters);
    return last == std::string_view::npos ? 0 : last + 1;
}

// Returns where `kind: Secret` begins, in block style, flow style or JSON, if its second word is at
// `at`; else npos.
std::size_t secret_kind_before(std::string_view text, std::size_t at) {
    constexpr std::string_view kKind = "kind";
    constexpr std::string_view kBetween = "\"' ";
    const std::size_t colon = skip_back(text, at, kBetween);
    if (colon == 0 || text[colon - 1] != ':') {
        return std::string_view::npos;
    }
    const std::size_t end = skip_back(text, colon - 1, kBetween);
    return text.substr(0, end).ends_with(kKind) ? end - kKind.size() : std::string_view::npos;
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

CredentialFilter::Landmarks CredentialFilter::landmarks_of(std::string_view text) {
    constexpr std::string_view kSecret = "Secret";
    Landmarks found;
    for (std::size_t at = 0, newline = 0; at < text.size(); at = newline + 1) {
        newline = std::min(text.find('\n', at), text.size());
        const bool is_separator = text.substr(at).starts_with("---");
        if (is_separator && at > 0) {
            found.separators.push_back(at);
        }
        if (is_separator || is_alphanumeric(text[at])) {
            found.keys.push_back(at);
        }
    }
    for (std::size_t at = text.find(kSecret); at != std::string_view::npos;
         at = text.find(kSecret, at + 1)) {
        const std::size_t end = at + kSecret.size();
        const std::size_t kind = secret_kind_before(text, at);
        if (kind != std::string_view::npos && (end == text.size() || !is_alphanumeric(text[end]))) {
            found.secrets.push_back({kind, end});
        }
    }
    return found;
}

// Looks from one `---` to the next.
bool CredentialFilter::is_in_secret(const Landmarks& landmarks, std::size_t offset) {
    const auto next = std::ranges::upper_bound(landmarks.separators, offset);
    const std::size_t low = offset > kReach ? offset - kReach : 0;
    const std::size_t begin =
        std::max(low, next == landmarks.separators.begin() ? 0 : *std::prev(next));
    const std::size_t end =
        std::min(offset + kReach, next == landmarks.separators.end() ? kMaxSource : *next);
    const auto secret = std::ranges::lower_bound(landmarks.secrets, begin, {}, &Span::begin);
    return secret != landmarks.secrets.end() && secret->end <= end;
}

// Returns the top-level key that contains the place; for `--set a.b=c` it is `a`.
std::string_view CredentialFilter::top_key(const Landmarks& landmarks, std::string_view text,
                                           std::size_t offset) {
    const auto next = std::ranges::upper_bound(landmarks.keys, offset);
    if (next == landmarks.keys.begin() || offset - *std::prev(next) > kReach) {
        return {};
    }
    const std::string_view line = text.substr(*std::prev(next));
    return line.starts_with("---") ? std::string_view()
                                   : line.substr(0, line.find_first_of(":=. \n"));
}

bool CredentialFilter::is_in_credentials(const Diagnostic& diagnostic, std::string_view line) {
    const SourceId source = sources_.source_of(diagnostic.pos);
    const std::string_view text = sources_.text(source);
    const std::size_t offset = sources_.offset_of(diagnostic.pos);
    const auto [place, is_new] = known_.try_emplace(source);
    if (is_new) {
        place->second = landmarks_of(text);
    }
    const bool may_be = diagnostic.object.empty() || diagnostic.object.starts_with("Secret/");
    if ((may_be && is_in_secret(place->second, offset)) || is_credential_key(line)) {
        return true;
    }
    const std::string_view key = top_key(place->second, text, offset);
    const bool gives_values =
        line.find('=') != std::string_view::npos || line.find("literal") != std::string_view::npos;
    return key == "oauth" || (key == "secretGenerator" && gives_values);
}

Diagnostic CredentialFilter::shown(const Diagnostic& diagnostic) {
    Diagnostic shown = diagnostic;
    if (diagnostic.pos.known() && !diagnostic.hide_text) {
        const std::string_view line = sources_.locate(diagnostic.pos).text;
        const bool by_machine = line.size() > kMachineLine;
        const bool confidential =
            is_in_credentials(diagnostic, by_machine ? std::string_view() : line);
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
