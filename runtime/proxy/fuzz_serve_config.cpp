// Fuzz target: for any mounted file, the text for tailscaled is valid JSON without the placeholder,
// and reads back as the same serve config.
#include <cstdint>
#include <string_view>

#include "renderer/base/check.h"
#include "renderer/core/json.h"
#include "runtime/proxy/serve_config.h"

extern "C" int fuzz_serve_config(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto config = runtime::proxy::read_serve_config(bytes, "site.t.ts.net");
    if (!config) {
        return 0;
    }
    CHECK(renderer::read_json(config->text).has_value());
    const auto again = runtime::proxy::read_serve_config(config->text, "site.t.ts.net");
    CHECK(again.has_value());
    CHECK(again->has_https == config->has_https);
    CHECK(again->services == config->services);
    CHECK(again->domains == config->domains);
    return 0;
}
