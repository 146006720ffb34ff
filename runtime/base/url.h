// Text as a part of a URL or a form.
#pragma once

#include <string>
#include <string_view>

namespace runtime {

// All but letters, digits and `-_.~` as %XX (RFC 3986 section 2.3).
std::string escape_url(std::string_view text);

}  // namespace runtime
