// URLs of servers, as people write them.
#pragma once

#include <string_view>

namespace renderer {

// Of Tailscale itself.
constexpr std::string_view kDefaultServer = "https://controlplane.tailscale.com";

// http or https, then HOST, HOST:PORT or [ADDRESS]:PORT, and a path or none; no user, no query.
// Printable ASCII only.
bool is_server_url(std::string_view text);

// What is expected, for messages.
inline constexpr std::string_view kServerUrlGrammar =
    "a URL such as \"https://login.example.com\", without user and query";

}  // namespace renderer
