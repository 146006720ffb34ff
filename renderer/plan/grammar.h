// The grammars of names for Tailscale and for the Kubernetes API server that are not in
// renderer/kube/name_grammar.h. Sources: tailscale v1.96.5 util/dnsname, k8s.io/apimachinery
// pkg/util/validation. Bytes, ASCII, no locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/classify/classify.h"

namespace renderer::plan {

inline constexpr std::int64_t kMaxPort = 65535;

// Returns why Tailscale refuses this as a device's name: "must start with a letter or number", …;
// "" if it is a DNS label. Upper case is allowed.
std::string dns_label_error(std::string_view label);

bool is_dns1035_label(std::string_view text);    // Services: starts with a letter
bool is_dns_name(std::string_view text);         // domains: labels of at most 63, with dots
bool is_port_name(std::string_view text);        // IANA_SVC_NAME
bool is_hostname_prefix(std::string_view text);  // ^[a-z0-9][a-z0-9-]{0,61}$
bool is_env_name(std::string_view text);         // variables of containers
bool is_label_value(std::string_view text);

// Descriptions of the grammars for messages.
inline constexpr std::string_view kLabelKeyGrammar =
    "letters, digits, \"-\", \"_\" and \".\", at most 63, and a DNS name with \"/\" before it or "
    "not";
inline constexpr std::string_view kLabelValueGrammar =
    "at most 63 letters, digits, \"-\", \"_\" and \".\", beginning and ending with a letter or "
    "digit";

// Returns the family of an address; no value if the text is not an address. A zone (fe80::1%eth0)
// is only allowed if `zone` is true.
std::optional<classify::IpFamily> ip_family(std::string_view text, bool zone = false);

}  // namespace renderer::plan
