// Texts as Go's standard library reads and writes them, for messages and values that are compared
// with containerboot's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runtime {

// strconv.Quote, for ASCII.
std::string quote_go(std::string_view text);

// strings.Fields: the words between white space.
std::vector<std::string> fields_of(std::string_view text);

}  // namespace runtime
