// URLs of servers, as users write them.
#pragma once

#include <string_view>

namespace renderer::inline kube {

// Tailscale's own control server.
constexpr std::string_view kDefaultServer = "https://controlplane.tailscale.com";

// True for http or https, then HOST, HOST:PORT or [ADDRESS]:PORT, and an optional path; no user, no
// query. Printable ASCII only.
bool is_server_url(std::string_view text);

// The expected form, for messages.
inline constexpr std::string_view kServerUrlGrammar =
    "a URL such as \"https://login.example.com\", without user and query";

}  // namespace renderer::inline kube
