// Functions of names and paths.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/engines/templates/template_functions.h"
#include "renderer/engines/templates/template_print.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::int64_t kLongestSlug = 50;  // unless the template gives a length
constexpr std::int64_t kLongestFluxSlug = 63;

bool has_only(std::string_view text, auto is) {
    return std::ranges::all_of(text, is);
}

std::string_view without_ends(std::string_view text, std::string_view characters) {
    const std::size_t begin = std::min(text.find_first_not_of(characters), text.size());
    const std::size_t end = text.find_last_not_of(characters) + 1;
    return text.substr(begin, std::max(begin, end) - begin);
}

// ---- words of a name, split as github.com/huandu/xstrings does

enum class Letters : std::uint8_t { Number, Upper, Lower, Connector, Punctuation, Other };

struct NameWord {
    Letters kind;
    std::string text;
};

bool is_connector(char c) {
    return c == '-' || c == '_' || c == ' ' || (c >= '\t' && c <= '\r');
}

Letters letters_of(char c) {
    constexpr std::string_view kPunctuation = "!\"#%&'()*,./:;?@[\\]{}";
    return is_connector(c)                                  ? Letters::Connector
           : kPunctuation.find(c) != std::string_view::npos ? Letters::Punctuation
           : is_upper(c)                                    ? Letters::Upper
           : is_lower(c)                                    ? Letters::Lower
           : is_digit(c)                                    ? Letters::Number
                                                            : Letters::Other;
}

// Splits "HTTPStatus" into "HTTP" and "Status".
std::vector<NameWord> name_words(std::string_view text) {
    std::vector<NameWord> words;
    for (std::size_t at = 0; at < text.size();) {
        const Letters kind = letters_of(text[at]);
        std::size_t end = at + 1;
        const auto next_is = [&](Letters letters) {
            const bool is_dash = end < text.size() && (text[end] == '-' || text[end] == '_');
            return end < text.size() && (letters_of(text[end]) == letters ||
                                         (is_dash && letters == Letters::Punctuation));
        };
        if (kind == Letters::Upper && next_is(Letters::Upper)) {
            while (next_is(Letters::Upper)) {
                ++end;
            }
            end -= next_is(Letters::Lower) ? 1 : 0;
        } else {
            while (next_is(kind == Letters::Upper ? Letters::Lower : kind)) {
                ++end;
            }
        }
        words.push_back({kind, std::string(text.substr(at, end - at))});
        at = end;
    }
    return words;
}

class WordJoiner {
public:
    WordJoiner(std::vector<NameWord> words, char connector)
        : words_(std::move(words)), connector_(connector) {}

    std::string run() {
        while (at_ + 1 < words_.size()) {
            step();
        }
        write();
        return std::move(out_);
    }

private:
    [[nodiscard]] bool is_one_of(std::initializer_list<Letters> kinds) const {
        return at_ < words_.size() && std::ranges::find(kinds, words_[at_].kind) != kinds.end();
    }

    void write() {
        if (at_ < words_.size()) {
            write(words_[at_]);
        }
    }

    void write(const NameWord& word) {
        for (const char c : word.text) {
            out_ += word.kind == Letters::Connector && is_connector(c) ? connector_
                    : word.kind == Letters::Upper                      ? lower_case(c)
                                                                       : c;
        }
    }

    // Writes the connector between two words, unless the next one is a connector or punctuation
    // itself.
    void connect() {
        const bool is_plain = is_one_of({Letters::Connector, Letters::Punctuation});
        out_ += at_ < words_.size() && !is_plain ? std::string(1, connector_) : std::string();
    }

    void write_all_small() {
        while (is_one_of({Letters::Lower, Letters::Number})) {
            write();
            ++at_;
        }
        connect();
    }

    // Processes one word or more, but never the last.
    void step() {
        const NameWord& word = words_[at_];
        if (word.kind != Letters::Connector) {
            write(word);
        }
        ++at_;
        if (word.kind == Letters::Connector) {
            write(word);
        } else if (word.kind == Letters::Number) {
            write_all_small();
        } else if (word.kind != Letters::Punctuation) {
            behind_word();
        }
    }

    // Processes the word after a word. A number belongs to the word before it, or to lower-case
    // letters after it.
    void behind_word() {
        if (!is_one_of({Letters::Number})) {
            return connect();
        }
        if (at_ + 1 == words_.size()) {
            return;
        }
        const NameWord& number = words_[at_++];
        if (is_one_of({Letters::Lower})) {
            out_ += connector_;
            write(number);
            return write_all_small();
        }
        write(number);
        connect();
    }

    std::vector<NameWord> words_;
    char connector_;
    std::size_t at_ = 0;
    std::string out_;
};

std::string in_pascal_case(std::string_view text) {
    const auto upper = [](char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; };
    std::size_t first = 0;
    while (first < text.size() && is_connector(text[first])) {
        ++first;
    }
    std::string out(text.substr(0, first));
    // The last connector is doubled, as in xstrings.
    if (first == text.size()) {
        return text.empty() ? out : out + text.back();
    }
    bool goes_on = is_upper(text[first]);  // within a word in capitals
    char before = upper(text[first]);
    for (const char c : text.substr(first + 1)) {
        char now = c;
        if (is_connector(c) && is_connector(before)) {
            out += std::exchange(before, c);
            continue;
        }
        if (is_connector(before)) {
            goes_on = is_upper(c);
            now = upper(c);
        } else {
            if (goes_on) {
                goes_on = is_upper(c);
                now = lower_case(c);
            }
            out += before;
        }
        before = now;
    }
    return out + before;
}

GoValue change_words(TemplateCall& call) {
    const std::string& text = call.text(0);
    if (!has_only(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        return call.fail("characters beyond ASCII");
    }
    return GoValue::text(
        call.name == "camelcase"
            ? in_pascal_case(text)
            : WordJoiner(name_words(text), call.name == "snakecase" ? '_' : '-').run());
}

// ---- functions of Argo CD

GoValue normalize(TemplateCall& call) {
    return GoValue::text(dns_name(call.text(0)));
}

std::string slug_of(std::string_view name, std::int64_t longest, bool cuts_at_words) {
    std::string out;
    for (const char c : name) {
        const bool is_plain = is_alphanumeric(c) || c == '_';
        if (is_plain || !out.ends_with('-')) {
            out += is_plain ? lower_case(c) : '-';
        }
    }
    out = std::string(without_ends(out, "-_"));
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(longest, 0));
    if (!cuts_at_words || most == 0 || out.size() <= most) {
        return out;
    }
    const std::size_t dash = out.rfind('-', most);
    return out.substr(0, dash == std::string::npos ? most : dash);
}

// slug.Make, which Flux calls without changes.
GoValue slugify_as_flux(TemplateCall& call) {
    const bool is_one = call.arguments.size() == 1 && call.arguments[0].is_text();
    const auto is_plain = [](char c) {
        return is_alphanumeric(c) || std::string_view("-_./ ").find(c) != std::string_view::npos;
    };
    return is_one && has_only(call.text(0), is_plain)
               ? GoValue::text(slug_of(call.text(0), kLongestFluxSlug, true))
               : call.fail("other than a plain text");
}

// `slugify 23 false .name`.
GoValue slugify(TemplateCall& call) {
    if (call.is_flux) {
        return slugify_as_flux(call);
    }
    const std::size_t count = call.arguments.size();
    const bool fits = count <= 3 && (count == 0 || call.last().is_text()) &&
                      (count < 2 || call.arguments[0].is(GoKind::Int)) &&
                      (count < 3 || call.arguments[1].is(GoKind::Bool));
    if (!fits) {
        return call.fail("not a length, a flag and a text");
    }
    const std::int64_t longest = count < 2 ? kLongestSlug : call.arguments[0].whole();
    const bool cuts_at_words = count < 3 || call.arguments[1].flag();
    std::string name = dns_name(count == 0 ? std::string() : call.last().text());
    if (!cuts_at_words) {
        if (longest < 0) {
            return call.fail(fmt::format("a length of {}", longest));
        }
        name = name.substr(0, static_cast<std::size_t>(longest));
    }
    return GoValue::text(slug_of(name, longest, cuts_at_words));
}

// ---- paths

std::string clean_path(std::string_view path) {
    const bool is_rooted = path.starts_with('/');
    std::vector<std::string_view> kept;
    for (const std::string_view part : split(path, '/')) {
        if (part == ".." && !kept.empty() && kept.back() != "..") {
            kept.pop_back();
        } else if (!part.empty() && part != "." && (part != ".." || !is_rooted)) {
            kept.push_back(part);
        }
    }
    const std::string out = fmt::format("{}{}", is_rooted ? "/" : "", fmt::join(kept, "/"));
    return out.empty() ? "." : out;
}

GoValue change_path(TemplateCall& call) {
    const std::string& path = call.text(0);
    const std::string_view name =
        call.name.starts_with("os") ? call.name.substr(2) : call.name;  // the same on Linux
    const char first = lower_case(name[0]);
    if (first == 'i') {
        return GoValue::flag(path.starts_with('/'));
    }
    if (first == 'c') {
        return GoValue::text(clean_path(path));
    }
    const std::size_t slash = path.rfind('/');
    if (first == 'd') {
        return GoValue::text(clean_path(path.substr(0, slash + 1)));
    }
    if (first == 'e') {
        const std::size_t point = path.rfind('.');
        const bool has_one =
            point != std::string::npos && (slash == std::string::npos || point > slash);
        return GoValue::text(has_one ? path.substr(point) : std::string());
    }
    const std::string whole = path.substr(0, path.find_last_not_of('/') + 1);
    const std::string base = whole.substr(whole.rfind('/') + 1);
    return GoValue::text(path.empty() ? "." : whole.empty() ? "/" : base);
}

constexpr auto kWords = std::to_array<TemplateFunction>({
    {"snakecase", "s", change_words},
    {"kebabcase", "s", change_words},
    {"camelcase", "s", change_words},
    {"normalize", "s", normalize},
    {"slugify", "a*", slugify},
    {"base", "s", change_path},
    {"dir", "s", change_path},
    {"clean", "s", change_path},
    {"ext", "s", change_path},
    {"isAbs", "s", change_path},
    {"osBase", "s", change_path},
    {"osDir", "s", change_path},
    {"osClean", "s", change_path},
    {"osExt", "s", change_path},
    {"osIsAbs", "s", change_path},
});

}  // namespace

std::span<const TemplateFunction> word_functions() {
    return kWords;
}

// Two characters beyond ASCII have lower-case letters in ASCII; every other one becomes a dash.
std::string dns_name(std::string_view name) {
    std::string out;
    while (!name.empty()) {
        const FrontCharacter front = front_character(name);
        const char c = front.size > 1 ? '\0' : lower_case(name[0]);
        const char lower = front.code == 0x130 ? 'i' : front.code == 0x212A ? 'k' : c;
        out += is_lower_or_digit(lower) || lower == '-' || lower == '.' ? lower : '-';
        name.remove_prefix(front.size);
    }
    return std::string(without_ends(std::string_view(out).substr(0, kLongestName), "-."));
}

}  // namespace renderer::engines
