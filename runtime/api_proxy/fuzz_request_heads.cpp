// Fuzz target: any head from a client or from the API server is accepted or refused however it is
// split. An accepted head that is forwarded is read by our own parser as the same message, and has
// no identity but ours.
#include <algorithm>
#include <cstdint>
#include <string>

#include "renderer/base/ascii.h"
#include "renderer/base/check.h"
#include "runtime/api_proxy/rewrite.h"

namespace {

using namespace runtime::api_proxy;

// Counts the lines of a head that state an identity, for a reader that accepts any line end.
int count_identity(std::string_view head) {
    int count = 0;
    std::size_t begin = 0;
    while (begin < head.size()) {
        const std::size_t end = std::min(head.find_first_of("\r\n", begin), head.size());
        std::string line = renderer::lower_case(head.substr(begin, end - begin));
        std::replace(line.begin(), line.end(), '_', '-');
        line.erase(0, line.find_first_not_of(" \t\0"));
        count += line.starts_with("impersonate") || line.starts_with("authorization:") ||
                 line.starts_with("proxy-authorization:") || line.starts_with("x-remote-");
        begin = end + 1;
    }
    return count;
}

void check_request(std::string_view head) {
    const auto parsed = parse_request(head);
    const auto* request = std::get_if<RequestHead>(&parsed);
    if (request == nullptr) {
        return;
    }
    const Caller caller{.user = "u", .groups = {"g", "h"}};
    const std::string out = upstream_head(*request, Impersonation{caller, "t"}, "100.64.0.7");
    CHECK(count_identity(out) == 4);
    CHECK(find_head_end(out).size == out.size() || out.size() > kLargestHead);
    const auto again = parse_request(out);
    const auto* sent = std::get_if<RequestHead>(&again);
    CHECK(sent != nullptr || request->fields.size() + 8 > kMostFields);
    if (sent != nullptr) {
        CHECK(sent->method == request->method && sent->target == request->target);
        CHECK(sent->body.kind == request->body.kind && sent->body.length == request->body.length);
        CHECK(sent->upgrade == request->upgrade);
        CHECK(find_field(sent->fields, "impersonate-user") == "u");
        CHECK(find_field(sent->fields, "x-forwarded-for") == "100.64.0.7");
        CHECK(find_field(sent->fields, "authorization") == "Bearer t");
    }
}

void check_response(std::string_view head) {
    const auto parsed = parse_response(head, "GET");
    if (const auto* response = std::get_if<ResponseHead>(&parsed)) {
        const std::string out = client_head(*response, !response->keeps_alive);
        const auto again = parse_response(out, "GET");
        const auto* sent = std::get_if<ResponseHead>(&again);
        CHECK(sent != nullptr || response->fields.size() + 4 > kMostFields);
        CHECK(sent == nullptr ||
              (sent->status == response->status && sent->body.kind == response->body.kind &&
               sent->body.length == response->body.length));
    }
}

}  // namespace

extern "C" int fuzz_request_heads(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const HeadEnd whole = find_head_end(bytes);
    HeadEnd piecewise;
    for (std::size_t at = 1; at <= size && piecewise.size == 0 && !piecewise.fault; ++at) {
        piecewise = find_head_end(bytes.substr(0, at), at - 1);
    }
    CHECK(whole.size == piecewise.size && whole.fault == piecewise.fault);
    const std::string_view head = whole.size > 0 ? bytes.substr(0, whole.size) : bytes;
    check_request(head);
    check_response(head);
    return 0;
}
