// Fuzz target: any answer of tailscaled about a caller is refused, or becomes an identity that can
// be written into a head unchanged.
#include <cstdint>
#include <string>

#include "renderer/base/check.h"
#include "runtime/api_proxy/rewrite.h"

namespace {

using namespace runtime::api_proxy;

void check(const std::string& whois) {
    const auto caller = read_caller(whois, runtime::IpAddress::parse("100.64.0.7").value());
    if (!caller) {
        return;
    }
    const auto request = parse_request("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::string head =
        upstream_head(std::get<RequestHead>(request), Impersonation{*caller, "t"}, "100.64.0.7");
    const auto again = parse_request(head);
    const auto* sent = std::get_if<RequestHead>(&again);
    if (sent == nullptr) {
        CHECK(caller->groups.size() + 4 > kMostFields);
        return;
    }
    CHECK(find_field(sent->fields, "impersonate-user") == caller->user);
    std::size_t groups = 0;
    for (const HeadField& field : sent->fields) {
        if (field.name == "Impersonate-Group") {
            CHECK(field.value == caller->groups.at(groups++));
        }
    }
    CHECK(groups == caller->groups.size() && sent->fields.size() == groups + 4);
    CHECK(still_allows(*caller, *caller));
}

}  // namespace

extern "C" int fuzz_grants(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    check(bytes);
    const std::string front =
        R"({"Node":{"Name":"n.","Addresses":["100.64.0.7/32"]},"UserProfile":{"LoginName":"u"},)";
    check(front + R"("CapMap":)" + bytes + "}");
    check(front + R"("CapMap":{"tailscale.com/cap/kubernetes":[)" + bytes + "]}}");
    return 0;
}
