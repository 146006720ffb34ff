// What a request asks for, read as Go reads it: the API server and the operator's proxy do. Pure.
// Source: go1.26 net/url (ParseQuery, unescape).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runtime::recording {

// The path, decoded. No value: what is behind a "%" is no byte, and no server takes the request.
std::optional<std::string> path_of(std::string_view target);

// The parameters behind "?", in order; without those that cannot be decoded or hold a ";".
using Query = std::vector<std::pair<std::string, std::string>>;
Query query_of(std::string_view target);
// The first of that name; nullptr: there is none.
const std::string* first_of(const Query& query, std::string_view name);

}  // namespace runtime::recording
