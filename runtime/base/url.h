// Text as a part of a URL or a form, and URLs of servers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runtime {

// All but letters, digits and `-_.~` as %XX (RFC 3986 section 2.3).
std::string escape_url(std::string_view text);

// A server as people name it, with a path if it has one, without slashes at the end. No value: it
// is none.
inline constexpr std::string_view kServerForm = "http://HOST[:PORT] or https://HOST[:PORT]";
std::optional<std::string> server_url(std::string_view text);

}  // namespace runtime
