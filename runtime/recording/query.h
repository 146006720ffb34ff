// Parses the target of a request as Go does, since the API server and the operator's proxy are
// written in Go. Pure. Source: go1.26 net/url (ParseQuery, unescape).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runtime::recording {

// Returns the decoded path. No value if an escape is invalid; no server accepts such a request.
std::optional<std::string> path_of(std::string_view target);

// Returns the parameters after "?", in order, without those that cannot be decoded or contain ";".
using Query = std::vector<std::pair<std::string, std::string>>;
Query query_of(std::string_view target);
// Returns the first parameter with this name, or nullptr.
const std::string* first_of(const Query& query, std::string_view name);

}  // namespace runtime::recording
