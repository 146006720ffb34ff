// Rules for names, as far as both programs check them. Source: k8s.io/apimachinery
// pkg/util/validation. Bytes, ASCII, no locale. The other rules: renderer/plan/grammar.h.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer::inline kube {

inline constexpr std::size_t kMaxLabel = 63;       // bytes in a DNS label, and in a label's value
inline constexpr std::size_t kMaxSubdomain = 253;  // bytes in a DNS name

// The rule for a label of RFC 1123, for messages.
inline constexpr std::string_view kDnsLabelGrammar =
    "lower-case letters, digits and dashes, at most 63, no dash at either end";

bool is_dns1123_label(std::string_view text);      // namespaces, names of Service ports
bool is_dns1123_subdomain(std::string_view text);  // Ingresses, hosts
bool is_qualified_name(std::string_view text);     // keys of labels, load balancer classes
bool is_subresource(std::string_view text);        // RESOURCE/SUBRESOURCE, such as "nodes/proxy"

// True if the text is not empty, its first and last byte are `alphanumeric`, and the others are
// either that or in `inner`.
bool is_name_of(std::string_view text, bool (*alphanumeric)(char), std::string_view inner);

// True for lower-case letters, digits and dashes in parts of at most `max_part` bytes, separated by
// dots; each part is_name_of. The whole may be of any length.
bool is_dotted_name(std::string_view text, std::size_t max_part = std::string_view::npos);

}  // namespace renderer::inline kube
