// Resolves names as the system does: /etc/hosts, then the servers of /etc/resolv.conf. Asio does it
// on a thread of its own.
#pragma once

#include <memory>

#include "runtime/base/asio_loop.h"
#include "runtime/base/resolver.h"

namespace runtime::inline base {

class AsioResolver : public Resolver {
public:
    explicit AsioResolver(AsioLoop& loop);
    ~AsioResolver() override;

    void resolve(const std::string& host, std::function<void(Resolution)> done) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime::inline base
