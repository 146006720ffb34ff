// URLs of servers, as people write them.
#pragma once

#include <string_view>

namespace renderer {

// The part before the path of an http or https URL that names its server: HOST[:PORT]. Its form is
// not looked at. "" when the text is no such URL, or not all of it is printable ASCII.
std::string_view server_of_url(std::string_view text);

}  // namespace renderer
