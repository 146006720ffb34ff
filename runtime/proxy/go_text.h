// Reads and writes texts as Go's standard library does, for messages and values that are compared
// with containerboot's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runtime::proxy {

// Quotes as strconv.Quote does, for ASCII.
std::string quote_go(std::string_view text);

// Splits at white space, as strings.Fields does.
std::vector<std::string> fields_of(std::string_view text);

}  // namespace runtime::proxy
