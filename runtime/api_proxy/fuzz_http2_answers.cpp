// Fuzz target: any answer of a server over HTTP/2 is understood in the same way however it is
// split, or it is given up. nghttp2 gives up some valid input if it is split after an empty HEADERS
// frame.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/base/check.h"
#include "runtime/api_proxy/http2.h"

namespace {

constexpr std::string_view kGivenUp = "given up";

std::string read(std::string_view bytes, std::size_t piece) {
    runtime::api_proxy::Http2Client client("100.64.0.3:80");
    client.request("POST", "/v2/record", true);
    client.write("[1,\"o\",\"x\"]\n");
    CHECK(!client.take().empty());
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        if (!client.receive(bytes.substr(at, piece))) {
            return std::string(kGivenUp);
        }
        static_cast<void>(client.take());
        CHECK(client.sent() + client.waiting() == 12);
    }
    const auto& response = client.response();
    CHECK(response.bytes.size() <= bytes.size() && (response.status == 0 || response.status > 199));
    return std::to_string(response.status) + response.bytes + (response.is_whole ? " whole" : "") +
           (response.is_broken ? " broken" : "");
}

}  // namespace

extern "C" int fuzz_http2_answers(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::string whole = read(bytes, std::max<std::size_t>(size, 1));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
        const std::string cut = read(bytes, piece);
        CHECK(cut == whole || cut == kGivenUp || whole == kGivenUp);
    }
    return 0;
}
