#include "runtime/base/asio_resolver.h"

#include <boost/asio/ip/udp.hpp>
#include <utility>

namespace runtime::inline base {

using boost::asio::ip::udp;

struct AsioResolver::State {
    udp::resolver resolver;
};

AsioResolver::AsioResolver(AsioLoop& loop)
    : state_(std::make_unique<State>(State{udp::resolver(loop.context())})) {}
AsioResolver::~AsioResolver() = default;

void AsioResolver::resolve(const std::string& host, std::function<void(Resolution)> done) {
    state_->resolver.async_resolve(
        udp::v4(), host, "", udp::resolver::flags(),
        [done = std::move(done)](const boost::system::error_code& error,
                                 const udp::resolver::results_type& found) {
            Resolution resolution{.addresses = {},
                                  .problem = error ? error.message() : std::string()};
            for (const auto& entry : found) {
                resolution.addresses.push_back(entry.endpoint().address().to_string());
            }
            if (resolution.addresses.empty() && resolution.problem.empty()) {
                resolution.problem = "it has no IPv4 address";
            }
            done(std::move(resolution));
        });
}

}  // namespace runtime::inline base
