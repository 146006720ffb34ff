// Escaping for URLs and forms, and URLs of servers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runtime::inline base {

// Escapes all bytes but letters, digits and `-_.~` as %XX (RFC 3986 section 2.3).
std::string escape_url(std::string_view text);

// The form of a server's URL. `server_url` returns the URL, with its path if it has one, without
// trailing slashes; no value if `text` is not such a URL.
inline constexpr std::string_view kServerForm = "http://HOST[:PORT] or https://HOST[:PORT]";
std::optional<std::string> server_url(std::string_view text);

}  // namespace runtime::inline base
