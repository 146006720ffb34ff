#include "renderer/engines/helm/version_range.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/split.h"

namespace renderer::engines {

namespace {

struct Version {
    std::array<std::uint64_t, 3> parts = {0, 0, 0};
    std::size_t known = 0;  // number of parts that are given; the others match anything
    std::string pre = {};   // the pre-release

    friend std::strong_ordering operator<=>(const Version& a, const Version& b) {
        if (const auto order = a.parts <=> b.parts; order != 0) {
            return order;
        }
        // A pre-release comes before its release.
        const auto rank = (a.pre.empty() ? 1 : 0) <=> (b.pre.empty() ? 1 : 0);
        return rank != 0 ? rank : a.pre <=> b.pre;
    }
    friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

// Parses "1.2", "v1.2.3-rc1+build" or "1.x". Returns nothing if it is not a version.
std::optional<Version> parse_version(std::string_view text) {
    if (text.starts_with('v')) {
        text.remove_prefix(1);
    }
    text = text.substr(0, text.find('+'));
    Version version;
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        version.pre = text.substr(dash + 1);
        text = text.substr(0, dash);
    }
    bool is_any = false;
    std::size_t count = 0;
    for (const std::string_view part : split(text, '.')) {
        is_any = is_any || part == "x" || part == "X" || part == "*";
        if (count++ == version.parts.size()) {
            return std::nullopt;
        }
        if (is_any) {
            continue;
        }
        const auto [end, error] =
            std::from_chars(part.data(), part.data() + part.size(), version.parts.at(count - 1));
        if (error != std::errc() || end != part.data() + part.size()) {
            return std::nullopt;
        }
        version.known = count;
    }
    return version;
}

// Returns the first version after all that begin with these parts.
Version after(const Version& version, std::size_t parts) {
    Version next;
    if (parts == 0) {
        next.parts.fill(UINT64_MAX);
        return next;
    }
    std::copy_n(version.parts.begin(), parts, next.parts.begin());
    ++next.parts.at(parts - 1);
    return next;
}

// `^`: up to the next change of the first part that is not zero.
Version after_compatible(const Version& version) {
    std::size_t first = 0;
    while (first + 1 < version.known && version.parts.at(first) == 0) {
        ++first;
    }
    return after(version, std::min(first + 1, version.known));
}

bool holds(std::string_view operation, const Version& bound, const Version& version) {
    if (operation == "^") {
        return version >= bound && version < after_compatible(bound);
    }
    if (operation == "~") {
        return version >= bound && version < after(bound, std::min<std::size_t>(bound.known, 2));
    }
    if (operation == ">=") {
        return version >= bound;
    }
    if (operation == "<") {
        return version < bound;
    }
    const bool is_whole = bound.known == bound.parts.size();
    const Version end = after(bound, bound.known);
    const bool is_equal = is_whole ? version == bound : version >= bound && version < end;
    if (operation == ">") {
        return version > bound && !is_equal;
    }
    if (operation == "<=") {
        return version < bound || is_equal;
    }
    return operation == "!=" ? !is_equal : is_equal;
}

// Splits a range into operators, which may be "", and versions, in turns. Returns nothing if it is
// not a range.
std::optional<std::vector<std::string>> words_of(std::string_view text) {
    constexpr std::string_view kOperators = "^~<>=!";
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == ' ' || text[at] == ',') {
            ++at;
            continue;
        }
        const std::size_t version = std::min(text.find_first_not_of(kOperators, at), text.size());
        words.emplace_back(text.substr(at, version - at));
        at = std::min(text.find_first_not_of(' ', version), text.size());
        const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
        if (end == at) {
            return std::nullopt;
        }
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

// "1.2 - 1.4" becomes ">=1.2 <=1.4".
void spell_out(std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 5 < words.size(); i += 2) {
        if (words[i + 3] == "-" && words[i].empty() && words[i + 4].empty()) {
            words[i] = ">=";
            words[i + 4] = "<=";
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 2,
                        words.begin() + static_cast<std::ptrdiff_t>(i) + 4);
        }
    }
}

bool holds_all(std::string_view text, const Version& version) {
    std::optional<std::vector<std::string>> words = words_of(text);
    if (!words) {
        return false;
    }
    spell_out(*words);
    bool names_pre = version.pre.empty();
    for (std::size_t i = 0; i + 1 < words->size(); i += 2) {
        std::string operation = (*words)[i];
        if (operation == "=>" || operation == "=<") {
            std::ranges::reverse(operation);
        } else if (operation == "~>") {
            operation = "~";
        }
        constexpr std::array<std::string_view, 9> kKnown = {"",  "=", "!=", "^", "~",
                                                            "<", ">", "<=", ">="};
        const std::optional<Version> bound = parse_version((*words)[i + 1]);
        if (!bound || std::ranges::find(kKnown, operation) == kKnown.end() ||
            !holds(operation, *bound, version)) {
            return false;
        }
        names_pre = names_pre || !bound->pre.empty();
    }
    return names_pre;
}

}  // namespace

bool is_in_range(std::string_view version, std::string_view range) {
    const std::optional<Version> parsed = parse_version(version);
    if (!parsed || parsed->known == 0) {
        return false;
    }
    while (true) {
        const std::size_t bar = range.find("||");
        if (holds_all(range.substr(0, bar), *parsed)) {
            return true;
        }
        if (bar == std::string_view::npos) {
            return false;
        }
        range.remove_prefix(bar + 2);
    }
}

}  // namespace renderer::engines
