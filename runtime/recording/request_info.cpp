#include "runtime/recording/request_info.h"

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "runtime/recording/query.h"

namespace runtime::recording {

namespace {

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> out;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
    }
    while (path.ends_with('/')) {
        path.remove_suffix(1);
    }
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        out.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return out;
}

std::string verb_of(std::string_view method) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kVerbs{{
        {"POST", "create"},
        {"GET", "get"},
        {"HEAD", "get"},
        {"PUT", "update"},
        {"PATCH", "patch"},
        {"DELETE", "delete"},
    }};
    const auto* found =
        std::ranges::find_if(kVerbs, [&](const auto& one) { return one.first == method; });
    return found == kVerbs.end() ? std::string() : std::string(found->second);
}

bool is_on(const std::string* value) {
    return value != nullptr && *value != "0" && renderer::lower_case(*value) != "false";
}

// Returns the value of a term `metadata.name=value` or `metadata.name==value` of a field selector.
std::optional<std::string> value_of_name(std::string_view term) {
    const std::size_t at = term.find('=');
    if (at == std::string_view::npos || (at > 0 && term[at - 1] == '!') ||
        term.substr(0, at) != "metadata.name") {
        return std::nullopt;
    }
    term.remove_prefix(at + (term.substr(at).starts_with("==") ? 2 : 1));
    std::string out;
    for (std::size_t index = 0; index < term.size(); ++index) {
        if (term[index] == '\\' && ++index == term.size()) {
            return std::nullopt;
        }
        out.push_back(term[index]);
    }
    return out;
}

// Returns the name of the only object that a field selector can match, or "".
std::string selected_name(std::string_view selector) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= selector.size(); ++at) {
        if (at < selector.size() && selector[at] == '\\') {
            ++at;
        } else if (at >= selector.size() || selector[at] == ',') {
            const auto name = value_of_name(selector.substr(begin, at - begin));
            if (name) {
                const bool is_segment =
                    *name != "." && *name != ".." && name->find_first_of("/%") == std::string::npos;
                return is_segment ? *name : std::string();
            }
            begin = at + 1;
        }
    }
    return "";
}

void take_name_and_subresource(RequestInfo& out) {
    out.resource = out.parts.front();
    if (out.parts.size() > 1) {
        out.name = out.parts[1];
    }
    if (out.parts.size() > 2 && out.verb != "proxy") {
        out.subresource = out.parts[2];
    }
}

// Completes a request without a name: its verb and its selectors.
void take_query(const Query& query, bool is_verb_in_path, RequestInfo& out) {
    const std::string* fields = first_of(query, "fieldSelector");
    if (out.name.empty() && out.verb == "get") {
        out.verb = is_on(first_of(query, "watch")) ? "watch" : "list";
        out.name = fields == nullptr ? "" : selected_name(*fields);
    }
    if (out.name.empty() && out.verb == "delete") {
        out.verb = "deletecollection";
    }
    const bool selects =
        out.verb == "list" || out.verb == "watch" || out.verb == "deletecollection";
    if (!is_verb_in_path && selects) {
        const std::string* labels = first_of(query, "labelSelector");
        out.field_selector = fields == nullptr ? "" : *fields;
        out.label_selector = labels == nullptr ? "" : *labels;
    }
}

}  // namespace

std::optional<RequestInfo> read_request_info(std::string_view method, std::string_view target) {
    auto path = path_of(target);
    if (!path) {
        return std::nullopt;
    }
    RequestInfo out{.path = std::move(*path), .verb = renderer::lower_case(method)};
    const std::vector<std::string> all = split(out.path);
    if (all.size() < 3 || (all[0] != "api" && all[0] != "apis")) {
        return out;
    }
    out.prefix = all[0];
    std::size_t at = 1;
    if (out.prefix == "apis") {
        if (all.size() < 4) {
            return out;
        }
        out.group = all[at++];
    }
    out.is_resource = true;
    out.version = all[at++];
    const bool is_verb_in_path = all[at] == "proxy" || all[at] == "watch";
    if (is_verb_in_path && all.size() - at < 2) {
        return std::nullopt;
    }
    out.verb = is_verb_in_path ? all[at++] : verb_of(method);
    if (all[at] == "namespaces" && all.size() - at > 1) {
        out.ns = all[at + 1];
        const bool is_in_it =
            all.size() - at > 2 && all[at + 2] != "status" && all[at + 2] != "finalize";
        at += is_in_it ? 2 : 0;
    }
    out.parts.assign(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
    take_name_and_subresource(out);
    take_query(query_of(target), is_verb_in_path, out);
    return out;
}

bool has_sensitive_body(const RequestInfo& info) {
    return info.resource == "secrets" || info.resource == "tokenreviews" ||
           info.subresource == "proxy" || info.verb == "proxy";
}

}  // namespace runtime::recording
