#include "renderer/plan/grammar.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/kube/name_grammar.h"

namespace renderer::plan {

namespace {

constexpr std::size_t kMaxPortName = 15;
constexpr std::size_t kMaxHostnamePrefix = 62;

// Formats one byte, read as a Latin-1 character, as Go's %q does.
std::string shown_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xa1)) {
        return fmt::format("\\x{:02x}", byte);
    }
    if (byte < 0x80) {
        return std::string(1, c);
    }
    return {static_cast<char>(0xc0U | byte >> 6U), static_cast<char>(0x80U | (byte & 0x3fU))};
}

}  // namespace

std::string dns_label_error(std::string_view label) {
    if (label.empty()) {
        return "is empty";
    }
    if (label.size() > kMaxLabel) {
        return fmt::format("is too long, max length is {} bytes", kMaxLabel);
    }
    if (!is_alphanumeric(label.front())) {
        return "must start with a letter or number";
    }
    if (!is_alphanumeric(label.back())) {
        return "must end with a letter or number";
    }
    const auto* bad =
        std::ranges::find_if(label, [](char c) { return !is_alphanumeric(c) && c != '-'; });
    return bad == label.end() ? std::string()
                              : fmt::format("contains invalid character '{}'", shown_byte(*bad));
}

bool is_dns1035_label(std::string_view text) {
    return is_dns1123_label(text) && is_lower(text.front());
}

bool is_dns_name(std::string_view text) {
    return text.size() <= kMaxSubdomain && is_dotted_name(text, kMaxLabel);
}

bool is_port_name(std::string_view text) {
    return text.size() <= kMaxPortName && is_name_of(text, is_lower_or_digit, "-") &&
           std::ranges::any_of(text, is_lower) && text.find("--") == std::string_view::npos;
}

bool is_hostname_prefix(std::string_view text) {
    return !text.empty() && text.size() <= kMaxHostnamePrefix && text.front() != '-' &&
           std::ranges::all_of(text, [](char c) { return c == '-' || is_lower_or_digit(c); });
}

bool is_env_name(std::string_view text) {
    return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
    });
}

bool is_label_value(std::string_view text) {
    return text.empty() || (text.size() <= kMaxLabel && is_name_of(text, is_alphanumeric, "-_."));
}

std::optional<classify::IpFamily> ip_family(std::string_view text, bool zone) {
    const std::size_t percent = zone ? text.find('%') : std::string_view::npos;
    const bool has_zone = percent != std::string_view::npos && percent + 1 < text.size();
    const std::string address(has_zone ? text.substr(0, percent) : text);
    in6_addr buffer;
    if (address.find('\0') != std::string::npos) {
        return std::nullopt;
    }
    if (!has_zone && inet_pton(AF_INET, address.c_str(), &buffer) == 1) {
        return classify::IpFamily::V4;
    }
    if (inet_pton(AF_INET6, address.c_str(), &buffer) == 1) {
        return classify::IpFamily::V6;
    }
    return std::nullopt;
}

}  // namespace renderer::plan
