// The `user:password` of URLs, wherever they stand:
// https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// What ends a word in which a credential may be.
inline constexpr std::string_view kWordEnds = " \t\r\n\"'";

// The first one in `text`, without the `@` that ends it; empty: there is none. A password may hold
// raw slashes, `?` and `#`: then it goes to the last `@` of the word, unless a port comes before
// the first of them. Such a password that begins with digits cannot be told from a path with an
// `@`. Takes time linear in what it ignores.
std::string_view find_userinfo(std::string_view text);

// The text without what may be a credential in its URLs: users, passwords, queries, fragments.
std::string without_url_credentials(std::string_view text);

// The same of one address, which may have no scheme: `me:password@registry.example.com/charts`.
std::string shown_address(std::string_view address);

// Whether a URL of the text may show a credential: a user, or a query with other parameters than
// those of a kustomize resource (`?ref=v1`). So may `user:password@host` without a scheme.
bool may_show_url_credentials(std::string_view text);

// What a message says to have found instead of a text in which there is one.
inline constexpr std::string_view kHiddenPassword = "a text with a password";

}  // namespace renderer
