// Which texts are names, as far as both programs ask. Source: k8s.io/apimachinery
// pkg/util/validation. Bytes, ASCII, no locale. The rest: renderer/plan/grammar.h.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer {

inline constexpr std::size_t kMaxLabel = 63;       // bytes of a DNS label, and of a label's value
inline constexpr std::size_t kMaxSubdomain = 253;  // bytes of a DNS name

// What a label of RFC 1123 is, for messages.
inline constexpr std::string_view kDnsLabelGrammar =
    "lower-case letters, digits and dashes, at most 63, no dash at either end";

bool is_dns1123_label(std::string_view text);      // namespaces, names of Service ports
bool is_dns1123_subdomain(std::string_view text);  // Ingresses, hosts
bool is_subresource(std::string_view text);        // RESOURCE/SUBRESOURCE, such as "nodes/proxy"

// Of any length but 0: the first and the last byte are `alphanumeric`, the others also of `inner`.
bool is_name_of(std::string_view text, bool (*alphanumeric)(char), std::string_view inner);

// Lower-case letters, digits and dashes, in parts of at most `max_part` bytes with dots between,
// each of which is_name_of. The whole may be of any length.
bool is_dotted_name(std::string_view text, std::size_t max_part = std::string_view::npos);

}  // namespace renderer
