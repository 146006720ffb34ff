// The API server: where it is, how it proves itself, and the token that we show it. The files are
// read again when others are in their place.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api_proxy/stream.h"
#include "runtime/base/loop.h"
#include "runtime/base/resolver.h"

namespace runtime::api_proxy {

struct UpstreamPlace {
    std::string host;  // a name, or an address without brackets
    std::uint16_t port = 443;
    std::string ca_file;
    std::string token_file;  // empty: no token is shown
};

class Upstream {
public:
    // Both outlive this.
    Upstream(Loop& loop, Resolver& resolver, UpstreamPlace place)
        : loop_(loop), resolver_(resolver), place_(std::move(place)) {}

    // Now, or later; empty when there are none.
    void find_addresses(std::function<void(std::vector<AddressPort>)> done);
    // Of the authorities that are in the file now.
    renderer::Result<const TlsClient*> tls();
    // As the file says, at most a second ago; never empty. Until the next call.
    renderer::Result<std::string_view> token();
    [[nodiscard]] bool shows_token() const { return !place_.token_file.empty(); }

private:
    struct WatchedFile {
        std::string text = {};
        Duration looked = {};
        struct stat as_read = {};
        bool is_read = false;
    };
    // The result: whether the text is new.
    renderer::Result<bool> refresh(const std::string& path, WatchedFile& file) const;

    Loop& loop_;
    Resolver& resolver_;
    UpstreamPlace place_;
    WatchedFile ca_, token_;
    std::optional<TlsClient> tls_;
};

}  // namespace runtime::api_proxy
