// The API server: its addresses, the authorities that it is verified with, and the token that the
// proxy presents. The files are read again after they were replaced.
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
    std::string token_file;  // empty: no token is sent
};

class Upstream {
public:
    // Both references must outlive this.
    Upstream(Loop& loop, Resolver& resolver, UpstreamPlace place)
        : loop_(loop), resolver_(resolver), place_(std::move(place)) {}

    // Calls `done` now or later. The list is empty if there are none.
    void find_addresses(std::function<void(std::vector<AddressPort>)> done);
    // Returns the client settings for the authorities that are in the file now.
    renderer::Result<const TlsClient*> tls();
    // Returns the token, read at most a second ago. It is not empty, and valid until the next call.
    renderer::Result<std::string_view> token();
    [[nodiscard]] bool shows_token() const { return !place_.token_file.empty(); }

private:
    struct WatchedFile {
        std::string text = {};
        Duration looked = {};
        struct stat as_read = {};
        bool is_read = false;
    };
    // Returns true if the text is new.
    renderer::Result<bool> refresh(const std::string& path, WatchedFile& file) const;

    Loop& loop_;
    Resolver& resolver_;
    UpstreamPlace place_;
    WatchedFile ca_, token_;
    std::optional<TlsClient> tls_;
};

}  // namespace runtime::api_proxy
