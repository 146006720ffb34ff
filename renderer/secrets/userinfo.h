// Finds the `user:password` of URLs in any text:
// https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1
#pragma once

#include <string>
#include <string_view>

namespace renderer::secrets {

// The characters that end a word which may contain a credential.
inline constexpr std::string_view kWordEnds = " \t\r\n\"'";

// Returns the first one in `text`, without the `@` that ends it; empty if there is none. A password
// may contain raw slashes, `?` and `#`: it then extends to the last `@` of the word, unless a port
// comes before the first of them. Such a password that begins with digits cannot be told from a
// path with an `@`. Takes time linear in what it skips.
std::string_view find_userinfo(std::string_view text);

// Removes what may be a credential in the URLs of a text: users, passwords, queries, fragments.
std::string without_url_credentials(std::string_view text);

// Does the same for one address, which may have no scheme:
// `me:password@registry.example.com/charts`.
std::string shown_address(std::string_view address);

// True if a URL in the text may show a credential: a user, or a query with other parameters than
// those of a kustomize resource (`?ref=v1`). `user:password@host` without a scheme counts as well.
bool may_show_url_credentials(std::string_view text);

// Replaces the found text in a message if it contains a password.
inline constexpr std::string_view kHiddenPassword = "a text with a password";

}  // namespace renderer::secrets
