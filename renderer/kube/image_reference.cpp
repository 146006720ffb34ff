#include "renderer/kube/image_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace renderer::inline kube {

namespace {

constexpr std::size_t kMaxName = 255;
constexpr std::size_t kMaxTag = 128;
constexpr std::size_t kIdDigits = 64;
constexpr std::size_t kSha512Digits = 128;
constexpr std::size_t kSha384Digits = 96;

bool is_lower_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool has_upper(std::string_view text) {
    return std::ranges::any_of(text, is_upper);
}

// Calls `check` for each part; returns false as soon as one fails.
template <typename Check>
bool all_parts(std::string_view text, char separator, Check check) {
    for (;;) {
        const std::size_t end = text.find(separator);
        if (!check(text.substr(0, end))) {
            return false;
        }
        if (end == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(end + 1);
    }
}

bool is_host_part(std::string_view part) {
    return !part.empty() && is_alphanumeric(part.front()) && is_alphanumeric(part.back()) &&
           std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_domain(std::string_view domain) {
    if (domain.starts_with('[')) {
        const std::size_t close = domain.find(']');
        const std::string_view inner =
            close == std::string_view::npos ? "" : domain.substr(1, close - 1);
        const auto is_ipv6_char = [](char c) {
            return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':';
        };
        if (inner.empty() || !std::ranges::all_of(inner, is_ipv6_char)) {
            return false;
        }
        domain.remove_prefix(close + 1);
        if (domain.empty()) {
            return true;
        }
        return domain.starts_with(':') && domain.size() > 1 &&
               std::ranges::all_of(domain.substr(1), is_digit);
    }
    const std::size_t colon = domain.find(':');
    if (colon != std::string_view::npos) {
        const std::string_view port = domain.substr(colon + 1);
        if (port.empty() || !std::ranges::all_of(port, is_digit)) {
            return false;
        }
    }
    return all_parts(domain.substr(0, colon), '.', is_host_part);
}

// True for lower-case letters and digits with ".", "_", "__" or dashes between them.
bool is_path_part(std::string_view part) {
    if (part.empty() || !is_lower_or_digit(part.front()) || !is_lower_or_digit(part.back())) {
        return false;
    }
    while (!part.empty()) {
        part.remove_prefix(
            std::min(static_cast<std::size_t>(std::ranges::find_if_not(part, is_lower_or_digit) -
                                              part.begin()),
                     part.size()));
        const std::size_t length =
            static_cast<std::size_t>(std::ranges::find_if(part, is_lower_or_digit) - part.begin());
        const std::string_view separator = part.substr(0, length);
        if (!separator.empty() && separator != "." && separator != "_" && separator != "__" &&
            separator.find_first_not_of('-') != std::string_view::npos) {
            return false;
        }
        part.remove_prefix(length);
    }
    return true;
}

bool is_tag(std::string_view tag) {
    const auto is_word = [](char c) { return is_alphanumeric(c) || c == '_'; };
    return !tag.empty() && tag.size() <= kMaxTag && is_word(tag.front()) &&
           std::ranges::all_of(tag, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view digest) {
    const std::size_t colon = digest.find(':');
    if (colon == std::string_view::npos) {
        return false;
    }
    const std::string_view algorithm = digest.substr(0, colon);
    const std::string_view hex = digest.substr(colon + 1);
    const std::size_t digits = algorithm == "sha256"   ? kIdDigits
                               : algorithm == "sha384" ? kSha384Digits
                               : algorithm == "sha512" ? kSha512Digits
                                                       : 0;
    return digits != 0 && hex.size() == digits && std::ranges::all_of(hex, is_lower_hex);
}

ImageReference failed(std::string error) {
    return {.error = std::move(error)};
}

// `rest` is the text after the registry.
ImageReference parse_rest(std::string_view domain, std::string_view rest) {
    constexpr std::string_view kFormat = "invalid reference format";
    const std::size_t at = rest.find('@');
    const std::string_view named = rest.substr(0, at);
    const std::string_view digest = at == std::string_view::npos ? "" : rest.substr(at + 1);
    const std::size_t colon = named.find(':');
    const std::string_view path = named.substr(0, colon);
    const std::string_view tag = colon == std::string_view::npos ? "" : named.substr(colon + 1);
    if (has_upper(path)) {
        return failed(fmt::format("{}: repository name ({}) must be lowercase", kFormat, path));
    }
    if (!is_domain(domain) || !all_parts(path, '/', is_path_part) ||
        (colon != std::string_view::npos && !is_tag(tag)) ||
        (at != std::string_view::npos && !is_digest(digest))) {
        return failed(std::string(kFormat));
    }
    if (path.size() > kMaxName) {
        return failed(fmt::format("repository name must not be more than {} characters", kMaxName));
    }
    return {.path = std::string(path),
            .tag = std::string(digest.empty() ? tag : ""),
            .pinned = is_pinned(tag, digest)};
}

// True for "v1.96.5" and "1.96.5".
bool is_full_version(std::string_view text) {
    std::string_view rest = text;
    if (rest.starts_with('v')) {
        rest.remove_prefix(1);
    }
    int numbers = 0;
    while (true) {
        const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
        if (digits == 0) {
            return false;
        }
        ++numbers;
        rest.remove_prefix(digits);
        if (rest.empty()) {
            return numbers == 3;
        }
        if (!rest.starts_with('.')) {
            return false;
        }
        rest.remove_prefix(1);
    }
}

}  // namespace

bool is_pinned(std::string_view tag, std::string_view digest) {
    const std::vector<std::string_view> versions = split(tag, '-');
    return !digest.empty() || (!versions.empty() && std::ranges::all_of(versions, is_full_version));
}

ImageReference parse_image_reference(std::string_view text) {
    if (text.size() == kIdDigits && std::ranges::all_of(text, is_lower_hex)) {
        return failed(fmt::format(
            "invalid repository name ({}), cannot specify 64-byte hexadecimal strings", text));
    }
    // The text before the first slash is a registry if it looks like a host.
    const std::size_t slash = text.find('/');
    const std::string_view first = text.substr(0, slash);
    std::string_view domain = "docker.io";
    std::string rest(text);
    if (slash != std::string_view::npos && (first.find_first_of(".:") != std::string_view::npos ||
                                            first == "localhost" || has_upper(first))) {
        domain = first == "index.docker.io" ? "docker.io" : first;
        rest = text.substr(slash + 1);
    }
    if (domain == "docker.io" && rest.find('/') == std::string::npos) {
        rest = "library/" + rest;
    }
    return parse_rest(domain, rest);
}

}  // namespace renderer::inline kube
