// Fuzz target: a PROXY header names a peer or is refused, and has the same result however it is
// split and whatever follows it.
#include <cstdint>
#include <string>

#include "renderer/base/check.h"
#include "runtime/api_proxy/proxy_header.h"

using namespace runtime::api_proxy;

extern "C" int fuzz_proxy_headers(const std::uint8_t* data, std::size_t size) {
    // With the signature in front, the fuzzer gets past it.
    for (const std::string& front : {std::string(), std::string("\r\n\r\n\0\r\nQUIT\n", 12)}) {
        const std::string bytes = front + std::string(reinterpret_cast<const char*>(data), size);
        const ProxyHeader whole = parse_proxy_header(bytes);
        CHECK(!(whole.fault && whole.size > 0));
        CHECK((whole.size > 0) == whole.source.has_value());
        CHECK(whole.size <= bytes.size() && whole.size <= kLongestProxyHeader);
        if (whole.source) {
            CHECK(!whole.source->address.is_loopback() && whole.source->port != 0);
            const ProxyHeader again =
                parse_proxy_header(std::string_view(bytes).substr(0, whole.size));
            CHECK(again.size == whole.size && again.source->address == whole.source->address);
            const ProxyHeader before =
                parse_proxy_header(std::string_view(bytes).substr(0, whole.size - 1));
            CHECK(before.size == 0 && !before.fault);
        }
    }
    return 0;
}
